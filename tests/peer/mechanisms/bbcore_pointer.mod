TITLE Current that follows a value elsewhere
: Constructs: BBCOREPOINTER

NEURON {
  POINT_PROCESS bbcore_pointer
  BBCOREPOINTER there
  NONSPECIFIC_CURRENT i
  RANGE g, i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER { g = 2e-3 (uS) }

ASSIGNED {
  v (mV)
  there (mV)
  i (nA)
}

BREAKPOINT { i = g*(v - there) }
