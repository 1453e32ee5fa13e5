TITLE Synapse that depresses and facilitates, each connection by itself
: Constructs: NET_RECEIVE with several arguments, its INITIAL, LOCAL in NET_RECEIVE, state_discontinuity, t in
: NET_RECEIVE

NEURON {
  POINT_PROCESS plastic_synapse
  NONSPECIFIC_CURRENT i
  RANGE tau, e, i, use, recovery, facilitation, arrivals
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  tau = 3 (ms) <1e-9, 1e9>
  e = 0 (mV)
  use = 0.3 <0, 1>
  recovery = 60 (ms)
  facilitation = 25 (ms)
}

ASSIGNED {
  v (mV)
  i (nA)
  arrivals
}

STATE { g (uS) }

INITIAL {
  g = 0
  arrivals = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  i = g*(v - e)
}

DERIVATIVE decay { g' = -g/tau }

NET_RECEIVE(weight (uS), left, likely, last (ms)) {
  LOCAL released
  INITIAL {
    left = 1
    likely = use
    last = t
  }
  left = 1 - (1 - left)*exp(-(t - last)/recovery)
  likely = use + (likely - use)*exp(-(t - last)/facilitation)
  released = left*likely
  state_discontinuity(g, g + weight*released)
  left = left - released
  likely = likely + use*(1 - likely)
  last = t
  arrivals = arrivals + 1
}
