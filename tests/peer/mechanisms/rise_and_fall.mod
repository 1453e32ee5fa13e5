TITLE Synapse by a kinetic scheme that a spike starts
: Constructs: KINETIC in a point process, sparse, a state that an event changes

NEURON {
  POINT_PROCESS rise_and_fall
  NONSPECIFIC_CURRENT i
  RANGE e, i, g, rise, fall
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  e = -10 (mV)
  rise = 0.9 (/ms)
  fall = 0.25 (/ms)
}

ASSIGNED {
  v (mV)
  i (nA)
  g (uS)
}

STATE {
  waiting (uS)
  open (uS)
  gone (uS)
}

INITIAL {
  waiting = 0
  open = 0
  gone = 0
}

BREAKPOINT {
  SOLVE flow METHOD sparse
  g = open
  i = g*(v - e)
}

KINETIC flow {
  ~ waiting <-> open (rise, 0)
  ~ open <-> gone (fall, 0.01)
}

NET_RECEIVE(weight (uS)) { waiting = waiting + weight }
