TITLE Two gates, one of which follows the other
: Constructs: derivimplicit of a linear coupled system, FROM loop with BY, initial values out of an iteration in INITIAL

NEURON {
  SUFFIX coupled_gates
  NONSPECIFIC_CURRENT i
  RANGE g, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 3e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

STATE { a b }

INITIAL {
  LOCAL aim
  aim = 1/(1 + exp(-(v + 50 (mV))/8 (mV)))
  a = 0.5
  FROM k = 0 TO 40 BY 4 {
    b = a
    a = 0.5*a + 0.5*(aim - 0.6*b) + 1e-4*k
  }
}

BREAKPOINT {
  SOLVE gates METHOD derivimplicit
  i = g*a*(v + 20 (mV))
}

DERIVATIVE gates {
  LOCAL aim
  aim = 1/(1 + exp(-(v + 50 (mV))/8 (mV)))
  a' = (aim - a)/2 (ms) - 0.3 (/ms)*b
  b' = (a - b)/7 (ms)
}
