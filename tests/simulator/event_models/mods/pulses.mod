TITLE A conductance that is on for a while; what comes meanwhile moves its end
NEURON {
  POINT_PROCESS pulses
  NONSPECIFIC_CURRENT i
  RANGE dur, e, g, on, i
}
UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}
PARAMETER {
  dur = 1 (ms)
  e = 0 (mV)
}
ASSIGNED { v (mV) i (nA) g (uS) on }
INITIAL {
  g = 0
  on = 0
}
BREAKPOINT { i = g*(v - e) }
NET_RECEIVE(weight (uS)) {
  if (flag == 0) {
    if (on == 0) {
      on = 1
      g = weight
      net_send(dur, 1)
    } else {
      g = 0.5*g + weight*(1 + v/100)
      net_move(t + dur)
    }
  } else {
    on = 0
    g = 0
  }
}
