TITLE A gap junction whose conductance depends on the voltage across it

NEURON {
  POINT_PROCESS leaks
  THREADSAFE
  NONSPECIFIC_CURRENT i
  RANGE g, beyond, i
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER { g = 0.001 (uS) }

ASSIGNED {
  v (mV)
  beyond (mV)
  i (nA)
}

BREAKPOINT { i = g*(v - beyond)/(1 + fabs(v - beyond)/40(mV)) }
