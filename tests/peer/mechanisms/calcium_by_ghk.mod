TITLE Calcium current through a permeability
: Constructs: the current by the equation of Goldman, Hodgkin and Katz (nonlinear in v), R as (k-mole), faraday,
: celsius, FUNCTION that calls a FUNCTION, if/else

NEURON {
  SUFFIX calcium_by_ghk
  USEION ca READ cai, cao WRITE ica
  RANGE pbar
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (mM) = (milli/liter)
  FARADAY = (faraday) (coulomb)
  R = (k-mole) (joule/degC)
}

PARAMETER { pbar = 1e-5 (cm/s) }

ASSIGNED {
  v (mV)
  celsius (degC)
  cai (mM)
  cao (mM)
  ica (mA/cm2)
}

STATE { m }

INITIAL { m = steady(v) }

BREAKPOINT {
  SOLVE gate METHOD cnexp
  ica = pbar*m*m*ghk(v, cai, cao)
}

DERIVATIVE gate { m' = (steady(v) - m)/2 (ms) }

FUNCTION steady(v (mV)) { steady = 1/(1 + exp(-(v + 30 (mV))/7 (mV))) }

FUNCTION ghk(v (mV), inside (mM), outside (mM)) (0.001 coul/cm3) {
  LOCAL z
  z = (0.001)*2*FARADAY*v/(R*(celsius + 273.15 (degC)))
  ghk = (0.001)*2*FARADAY*(inside*even(-z) - outside*even(z))
}

FUNCTION even(z) {
  if (fabs(z) < 1e-4) {
    even = 1 - z/2
  } else {
    even = z/(exp(z) - 1)
  }
}
