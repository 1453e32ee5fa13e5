TITLE Half of a gap junction that also watches a state elsewhere
: Constructs: POINT_PROCESS, two POINTERs, one to a voltage and one to a state of a density mechanism

NEURON {
  POINT_PROCESS follows_a_pointer
  POINTER there, gate
  NONSPECIFIC_CURRENT i
  RANGE g, i, seen
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER { g = 1e-3 (uS) }

ASSIGNED {
  v (mV)
  there (mV)
  gate
  i (nA)
  seen
}

BREAKPOINT {
  seen = gate
  i = g*(1 + gate)*(v - there)
}
