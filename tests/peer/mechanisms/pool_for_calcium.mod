TITLE First-order calcium pool, the state a fraction of what enters
: Constructs: USEION READ of a current, WRITE of a concentration that is ASSIGNED in the
: DERIVATIVE block (from the state before the step), SOLVE euler, if in DERIVATIVE

NEURON {
  SUFFIX pool_for_calcium
  USEION ca READ ica WRITE cai
  RANGE depth, tau, rest
}

UNITS {
  (mA) = (milliamp)
  (mM) = (milli/liter)
  (um) = (micron)
  FARADAY = (faraday) (coulomb)
}

PARAMETER {
  depth = 0.1 (um) <1e-6, 1e6>
  tau = 15 (ms)
  rest = 1e-4 (mM)
}

ASSIGNED {
  ica (mA/cm2)
  cai (mM)
}

STATE { excess (mM) }

INITIAL {
  excess = 0
  cai = rest
}

BREAKPOINT { SOLVE removal METHOD euler }

DERIVATIVE removal {
  LOCAL entry
  entry = -(1e4)*ica/(2*FARADAY*depth)
  if (entry < 0) {
    entry = 0
  }
  excess' = entry - excess/tau
  cai = rest + excess
}
