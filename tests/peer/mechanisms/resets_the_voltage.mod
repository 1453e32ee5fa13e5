TITLE Spike and reset of a membrane without channels, held below for a refractory time
: Constructs: NET_RECEIVE that assigns v, with its own events, a WATCH and arrivals that add to v

NEURON {
  POINT_PROCESS resets_the_voltage
  NONSPECIFIC_CURRENT i
  RANGE top, reset, refractory, g, spikes, before, i
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  top = -55 (mV)
  reset = -75 (mV)
  refractory = 3 (ms)
  g = 0.05 (uS) : while it holds
}

ASSIGNED {
  v (mV)
  i (nA)
  holds
  spikes
  before (mV)
}

INITIAL {
  holds = 0
  spikes = 0
  before = 0
  net_send(0, 1)
}

BREAKPOINT { i = holds*g*(v - reset) }

NET_RECEIVE(weight) {
  if (flag == 1) {
    WATCH (v > top) 2
  } else if (flag == 2) {
    before = v
    v = reset
    holds = 1
    spikes = spikes + 1
    net_send(refractory, 3)
  } else if (flag == 3) {
    holds = 0
    v = v + 1
  } else if (holds == 0) {
    v = v + weight
  }
}
