TITLE passive leak: i = g (v - e)

NEURON {
  SUFFIX pas
  NONSPECIFIC_CURRENT i
  RANGE g, e, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  g = 0.001 (S/cm2) <0, 1e9>
  e = -70 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

BREAKPOINT {
  i = g*(v - e)
}
