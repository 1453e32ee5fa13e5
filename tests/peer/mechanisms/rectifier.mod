TITLE Instantaneous inward rectifier
: Constructs: a current that is nonlinear in v at fixed states (the derivative of the current matters), two
: NONSPECIFIC_CURRENT in one mechanism

NEURON {
  SUFFIX rectifier
  NONSPECIFIC_CURRENT i, ileak
  RANGE g, e, gleak, i, ileak
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  g = 1e-3 (S/cm2)
  e = -85 (mV)
  gleak = 5e-5 (S/cm2)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  ileak (mA/cm2)
}

BREAKPOINT {
  i = g*(v - e)/(1 + exp((v - e - 15 (mV))/12 (mV)))
  ileak = gleak*(v + 50 (mV))*(1 + tanh((v + 50 (mV))/30 (mV)))
}
