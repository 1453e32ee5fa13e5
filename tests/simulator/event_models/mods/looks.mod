TITLE Keeps the voltages that events find, the last the most, and what connections last found
NEURON {
  POINT_PROCESS looks
  NONSPECIFIC_CURRENT i
  RANGE found, gain, i
}
UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
}
PARAMETER { gain = 1e-5 }
ASSIGNED { v (mV) i (nA) found }
INITIAL { found = 0 }
BREAKPOINT { i = gain*found }
NET_RECEIVE(weight, last (mV)) {
  INITIAL { last = 0 }
  found = 0.5*found + weight*(v - 0.25*last)
  last = v
}
