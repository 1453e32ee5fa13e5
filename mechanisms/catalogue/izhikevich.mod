TITLE Izhikevich's quadratic neuron of two variables

COMMENT
Izhikevich 2003, IEEE Trans. Neural Networks 14:1569, with the scheme of the program published
there:

v' = 0.04 v^2 + 5 v + 140 - u + I, u' = a (b v - u); where v has reached 30, the neuron spikes,
v becomes c and u becomes u + d.

A step adds what arrives in it to the stimuli's current, takes v through two half steps and u
through a whole one, with the new v, and tests v. The published program, whose steps are of 1 ms,
tests v at the beginning of the next step and lets the spikes act in that one. Here they have the
time of the beginning of their step, so that after a delay of one step they do the same. Parameters,
weights and the current of stimuli are plain numbers; v counts in mV, time in ms.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL izhikevich
  ELECTRODE_CURRENT injected
  RANGE a, b, c, d, v_init, threshold, v
}

UNITS {
  (mV) = (millivolt)
}

PARAMETER {
  a = 0.02 <-1e3, 1e3>
  b = 0.2 <-1e3, 1e3>
  c = -65 <-1e4, 1e4>
  d = 8 <-1e4, 1e4>
  v_init = -65 <-1e4, 1e4>
  threshold = 30 <-1e4, 1e4>
}

ASSIGNED {
  injected
  arrived
}

STATE {
  v (mV)
  u
}

INITIAL {
  v = v_init
  u = b*v
  arrived = 0
}

BREAKPOINT {
  LOCAL i
  i = injected + arrived
  arrived = 0
  v = v + dt/2*(0.04*v*v + 5*v + 140 - u + i)
  v = v + dt/2*(0.04*v*v + 5*v + 140 - u + i)
  u = u + dt*a*(b*v - u)
  if (v >= threshold) {
    net_event(t - dt)
    v = c
    u = u + d
  }
}

NET_RECEIVE(weight) { arrived = arrived + weight }
