TITLE Scales the variable of another by events of its own and of connections
NEURON {
  POINT_PROCESS meddles
  POINTER p
  NONSPECIFIC_CURRENT i
  RANGE first, period, factor, seen, i
}
UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
}
PARAMETER {
  first = 1 (ms)
  period = 1.5 (ms)
  factor = 0.75
}
ASSIGNED { v (mV) i (nA) p seen }
INITIAL {
  seen = 0
  net_send(first, 1)
}
BREAKPOINT { i = 0 }
NET_RECEIVE(weight) {
  seen = 0.5*seen + p
  p = p*factor
  if (flag == 1) {
    net_send(period, 1)
  } else {
    p = p + weight
  }
}
