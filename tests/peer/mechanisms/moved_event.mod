TITLE Synapse that opens a fixed time after the latest spike
: Constructs: net_move in a point process, self-events told from arrivals by flag, INITIAL that sends an event

NEURON {
  POINT_PROCESS moved_event
  NONSPECIFIC_CURRENT i
  RANGE wait, tau, e, i, fired, moved
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  wait = 4 (ms)
  tau = 5 (ms)
  e = 0 (mV)
}

ASSIGNED {
  v (mV)
  i (nA)
  waiting
  fired
  moved
}

STATE { g (uS) }

INITIAL {
  g = 0
  waiting = 1
  fired = 0
  moved = 0
  net_send(30, 1)
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  i = g*(v - e)
}

DERIVATIVE decay { g' = -g/tau }

NET_RECEIVE(weight (uS)) {
  if (flag == 1) {
    g = g + 0.004
    fired = fired + 1
    waiting = 0
  } else {
    g = g + 0.2*weight
    if (waiting > 0) {
      net_move(t + wait)
      moved = moved + 1
    } else {
      net_send(wait, 1)
      waiting = 1
    }
  }
}
