TITLE Kicks the voltage by events of its own, the next sent by the last
NEURON {
  POINT_PROCESS kicks
  NONSPECIFIC_CURRENT i
  RANGE first, period, by, seen, i
}
UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
}
PARAMETER {
  first = 1 (ms)
  period = 2 (ms)
  by = 5 (mV)
}
ASSIGNED { v (mV) i (nA) seen }
INITIAL {
  seen = 0
  net_send(first, 1)
}
BREAKPOINT { i = 0 }
NET_RECEIVE(weight) {
  if (flag == 1) {
    seen = 0.5*seen + v
    v = v + by
    net_send(period, 1)
  } else {
    v = v + weight
  }
}
