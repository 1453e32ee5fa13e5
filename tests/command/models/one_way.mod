TITLE One side of a rectifying junction

COMMENT
Conducts fully where current flows outward through this side (sign 1) or inward (sign -1), and a
tenth of that the other way; vgap is the voltage of the other side.
ENDCOMMENT

NEURON {
  POINT_PROCESS one_way
  NONSPECIFIC_CURRENT i
  RANGE g, sign, width, vgap, i
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  g = 0.001 (uS)
  sign = 1
  width = 5 (mV)
}

ASSIGNED {
  v (mV)
  vgap (mV)
  i (nA)
}

BREAKPOINT { i = g*(0.1 + 0.9/(1 + exp(-sign*(v - vgap)/width)))*(v - vgap) }
