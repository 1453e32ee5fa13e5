TITLE Resets the voltage when it passes a bound, and waits anew as its events have it
NEURON {
  POINT_PROCESS watches
  NONSPECIFIC_CURRENT i
  RANGE top, bottom, reset, rest, seen, i
}
UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
}
PARAMETER {
  top = -55 (mV)
  bottom = -80 (mV)
  reset = -70 (mV)
  rest = 1 (ms)
}
ASSIGNED { v (mV) i (nA) seen resting }
INITIAL {
  seen = 0
  resting = 0
  net_send(0, 1)
}
BREAKPOINT { i = 0 }
NET_RECEIVE(weight) {
  if (flag == 1) {
    WATCH (v > top) 2
    WATCH (v < bottom) 3
  } else if (flag == 2) {
    seen = 0.5*seen + v
    v = reset
    if (resting == 0) {
      resting = 1
      net_send(rest, 4)
    }
  } else if (flag == 3) {
    seen = seen + 1
    WATCH (v > top) 2
    v = v + 3
  } else if (flag == 4) {
    resting = 0
    WATCH (v < bottom) 3
    WATCH (v > top + 1) 2
  } else {
    seen = seen + weight
    WATCH (v > top) 2
    v = v + weight
  }
}
