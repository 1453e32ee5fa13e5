TITLE A gate whose steady value is what the place that was computed last has left
: Constructs: BREAKPOINT sets a GLOBAL that DERIVATIVE reads before anything sets it anew

NEURON {
  SUFFIX rate_of_last_place
  NONSPECIFIC_CURRENT i
  RANGE g
  GLOBAL steady
}

PARAMETER {
  g = 1e-4 (S/cm2)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  steady
}

STATE { m }

INITIAL {
  rates(v)
  m = steady
}

BREAKPOINT {
  SOLVE states METHOD cnexp
  rates(v)
  i = g*m*(v + 70)
}

DERIVATIVE states {
  m' = (steady - m)/2
}

PROCEDURE rates(v) {
  steady = 1/(1 + exp(-(v + 50)/5))
}
