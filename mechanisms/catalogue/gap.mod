TITLE Gap junction: one side of a conductance between two compartments

COMMENT
vgap is the voltage of the other side at the beginning of the step; the other side has an instance
of its own.
ENDCOMMENT

NEURON {
  POINT_PROCESS gap
  NONSPECIFIC_CURRENT i
  RANGE g, i, vgap
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER { g = 0 (uS) <0, 1e9> }

ASSIGNED {
  v (mV)
  vgap (mV)
  i (nA)
}

BREAKPOINT { i = g*(v - vgap) }
