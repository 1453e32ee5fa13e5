TITLE Sodium that gathers at a point and is pumped out

NEURON {
  POINT_PROCESS gathers_sodium
  USEION na READ ina, nai WRITE nai
  RANGE depth, tau
}

UNITS {
  (mA) = (milliamp)
  (mM) = (milli/liter)
  (um) = (micron)
  FARADAY = (faraday) (coulomb)
}

PARAMETER {
  depth = 0.05 (um)
  tau = 15 (ms)
}

ASSIGNED { ina (mA/cm2) }

STATE { nai (mM) }

BREAKPOINT { SOLVE pool METHOD cnexp }

DERIVATIVE pool { nai' = -(1e4)*ina/(FARADAY*depth) - (nai - 10)/tau }
