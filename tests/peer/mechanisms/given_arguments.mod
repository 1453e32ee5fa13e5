TITLE Synapse whose connections say how much and how long
: Constructs: NET_RECEIVE whose arguments a NetCon gives, one of which INITIAL sets all the same

NEURON {
  POINT_PROCESS given_arguments
  NONSPECIFIC_CURRENT i
  RANGE tau_g, e, i, late
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  tau_g = 4 (ms) <1e-9, 1e9>
  e = 0 (mV)
}

ASSIGNED {
  v (mV)
  i (nA)
  late
}

STATE {
  g (uS)
  h (uS)
}

INITIAL {
  g = 0
  h = 0
  late = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  i = (g + h)*(v - e)
}

DERIVATIVE decay {
  g' = -g/tau_g
  h' = -h/(3*tau_g)
}

NET_RECEIVE(weight (uS), gain, tau (ms), seen, last (ms)) {
  INITIAL {
    seen = 0
    last = t
  }
  g = g + weight*gain*(1 - exp(-(t - last)/tau))
  h = h + weight*seen*0.1
  seen = seen + 1
  late = late + tau*seen
  last = t
}
