TITLE Synapse that rescales all its connections
: Constructs: FOR_NETCONS with several arguments, self-event from INITIAL, weights that change over time

NEURON {
  POINT_PROCESS knows_its_connections
  NONSPECIFIC_CURRENT i
  RANGE tau, e, i, every, factor, total, count
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  tau = 4 (ms)
  e = 0 (mV)
  every = 12 (ms)
  factor = 0.6
}

ASSIGNED {
  v (mV)
  i (nA)
  total (uS)
  count
}

STATE { g (uS) }

INITIAL {
  g = 0
  total = 0
  count = 0
  net_send(every, 1)
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  i = g*(v - e)
}

DERIVATIVE decay { g' = -g/tau }

NET_RECEIVE(weight (uS), trace, last (ms)) {
  INITIAL {
    trace = 0
    last = 0
  }
  if (flag == 0) {
    g = g + weight
    trace = trace*exp(-(t - last)/20 (ms)) + 1
    last = t
  } else {
    total = 0
    count = 0
    FOR_NETCONS(w, tr, l) {
      w = w*(factor + 0.3*tr)
      tr = 0.5*tr
      total = total + w
      count = count + 1
    }
    net_send(every, 1)
  }
}
