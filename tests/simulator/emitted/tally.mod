TITLE Counts the events of all its connections

NEURON {
  POINT_PROCESS tally
  NONSPECIFIC_CURRENT i
  RANGE total, connections
}

ASSIGNED {
  v (mV)
  i (nA)
  total
  connections
}

INITIAL {
  total = 0
  connections = 0
}

BREAKPOINT { i = 0 }

NET_RECEIVE(weight, events) {
  INITIAL { events = 0 }
  events = events + 1
  total = 0
  connections = 0
  FOR_NETCONS(one_weight, one_events) {
    total = total + one_weight*one_events
    connections = connections + 1
  }
}
