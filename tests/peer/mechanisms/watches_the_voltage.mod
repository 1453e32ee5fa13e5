TITLE Spike-triggered afterhyperpolarisation
: Constructs: WATCH of two conditions in a point process, flag that a WATCH gives, by a DEFINE as well, net_event, net_send in INITIAL

DEFINE FELL 3

NEURON {
  POINT_PROCESS watches_the_voltage
  NONSPECIFIC_CURRENT i
  RANGE up, down, jump, tau, e, i, ups, downs, last
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  up = -50 (mV)
  down = -58 (mV)
  jump = 0.01 (uS)
  tau = 6 (ms)
  e = -90 (mV)
}

ASSIGNED {
  v (mV)
  i (nA)
  ups
  downs
  last (ms)
}

STATE { g (uS) }

INITIAL {
  g = 0
  ups = 0
  downs = 0
  last = 0
  net_send(0, 1)
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  i = g*(v - e)
}

DERIVATIVE decay { g' = -g/tau }

NET_RECEIVE(weight) {
  if (flag == 1) {
    WATCH (v > up) 2
    WATCH (v < down) FELL
  } else if (flag == 2) {
    ups = ups + 1
    last = t
    g = g + jump
    net_event(t)
  } else if (flag == FELL) {
    downs = downs + 1
  } else {
    g = g + weight
  }
}
