TITLE M current: slow potassium current without inactivation

COMMENT
Adams, Brown and Constanti 1982, J. Physiol. 330:537 (bullfrog sympathetic neurons): opening and
closing are equal, 3.3/s, at -35 mV, and an effective charge of 2.5 moves half-way between the two
states. Measured near 21 degC; q10 2.3.
ENDCOMMENT

NEURON {
  SUFFIX km
  USEION k READ ek WRITE ik
  RANGE gbar, g
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 0 (S/cm2) <0, 1e9>
  q10 = 2.3 <1e-3, 1e3>
}

ASSIGNED {
  v (mV)
  celsius (degC)
  ek (mV)
  ik (mA/cm2)
  g (S/cm2)
  speed
  minf
  mtau (ms)
}

STATE { m }

INITIAL {
  speed = q10^((celsius - 21 (degC))/10 (degC))
  rates(v)
  m = minf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*m
  ik = g*(v - ek)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
}

PROCEDURE rates(v (mV)) {
  LOCAL opening, closing
UNITSOFF
  opening = 3.3e-3*exp(2.5*0.04*(v + 35))
  closing = 3.3e-3*exp(-2.5*0.04*(v + 35))
  mtau = 1/(speed*(opening + closing))
  minf = opening/(opening + closing)
UNITSON
}
