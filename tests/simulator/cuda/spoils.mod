: A current that is no number from a time on.
NEURON {
  SUFFIX spoils
  NONSPECIFIC_CURRENT i
  RANGE from
}

UNITS {
  (mA) = (milliamp)
  (mV) = (millivolt)
}

PARAMETER {
  from = 1 (ms)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

BREAKPOINT {
  i = 0
  if (t > from) {
    i = (1e-3) * sqrt(-1 - v * v)
  }
}
