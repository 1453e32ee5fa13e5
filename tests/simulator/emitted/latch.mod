TITLE Sets the membrane potential when it rises above a level

NEURON {
  POINT_PROCESS latch
  NONSPECIFIC_CURRENT i
  RANGE level, target
}

UNITS {
  (mV) = (millivolt)
  (nA) = (nanoamp)
}

PARAMETER {
  level = -50 (mV)
  target = -70 (mV)
}

ASSIGNED {
  v (mV)
  i (nA)
}

INITIAL { net_send(0, 1) }

BREAKPOINT { i = 0 }

NET_RECEIVE(weight) {
  if (flag == 2) {
    v = target
  } else {
    WATCH (v > level) 2
  }
}
