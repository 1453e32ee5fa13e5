TITLE Channel whose rates stand in another file
: Constructs: INCLUDE, CONDUCTANCE hint and a current that is LOCAL beside it, two SOLVE statements (a DERIVATIVE and a KINETIC block), LOCAL in KINETIC

NEURON {
  SUFFIX includes
  NONSPECIFIC_CURRENT i
  RANGE gbar, e, g
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 2e-3 (S/cm2)
  e = -85 (mV)
}

ASSIGNED {
  v (mV)
  g (S/cm2)
}

STATE { m h shut }

INCLUDE "shared_rates.inc"

INITIAL {
  m = half_at(v, -40, 7)
  h = half_at(v, -60, -6)
  shut = 1 - h
}

BREAKPOINT {
  LOCAL i
  CONDUCTANCE g
  SOLVE opening METHOD cnexp
  SOLVE closing METHOD sparse
  g = gbar*m*h
  i = g*(v - e)
}

DERIVATIVE opening { m' = (half_at(v, -40, 7) - m)/(0.3 (ms) + 2 (ms)*bell(v, -40, 20)) }

KINETIC closing {
  LOCAL speed
  speed = 1/(2 (ms) + 10 (ms)*bell(v, -60, 20))
  ~ h <-> shut (speed*(1 - half_at(v, -60, -6)), speed*half_at(v, -60, -6))
}
