TITLE Gap junction: one side of a conductance between two compartments

COMMENT
vgap points to the voltage of the other side; the other side has an instance of its own that points
back.
ENDCOMMENT

NEURON {
  POINT_PROCESS gap
  POINTER vgap
  NONSPECIFIC_CURRENT i
  RANGE g, i
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
