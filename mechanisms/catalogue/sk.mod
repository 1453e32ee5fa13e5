TITLE SK: potassium current that calcium opens, without voltage dependence

COMMENT
Koehler et al. 1996, Science 273:1709 (SK channels): half activation at 0.43 uM of calcium, Hill
coefficient 4.8; opening in about a millisecond.
ENDCOMMENT

NEURON {
  SUFFIX sk
  USEION k READ ek WRITE ik
  USEION ca READ cai
  RANGE gbar, tau, g
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
  (mM) = (milli/liter)
}

PARAMETER {
  gbar = 0 (S/cm2) <0, 1e9>
  tau = 1 (ms) <1e-9, 1e9>
  half = 0.00043 (mM) <1e-12, 1e9>
  hill = 4.8 <0, 100>
}

ASSIGNED {
  v (mV)
  cai (mM)
  ek (mV)
  ik (mA/cm2)
  g (S/cm2)
}

STATE { z }

INITIAL { z = open_fraction(cai) }

BREAKPOINT {
  SOLVE gate METHOD cnexp
  g = gbar*z
  ik = g*(v - ek)
}

DERIVATIVE gate { z' = (open_fraction(cai) - z)/tau }

FUNCTION open_fraction(ca (mM)) {
  if (ca > 0 (mM)) {
    open_fraction = 1/(1 + (half/ca)^hill)
  } else {
    open_fraction = 0
  }
}
