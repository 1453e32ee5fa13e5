TITLE L-type calcium current: high threshold, slow inactivation

COMMENT
Reuveni, Friedman, Amitai and Gutnick 1993, J. Neurosci. 13:4609 (neocortical pyramids); no
temperature correction.
ENDCOMMENT

NEURON {
  SUFFIX cal
  USEION ca READ eca WRITE ica
  RANGE gbar, g
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 0 (S/cm2) <0, 1e9> }

ASSIGNED {
  v (mV)
  eca (mV)
  ica (mA/cm2)
  g (S/cm2)
  minf
  hinf
  mtau (ms)
  htau (ms)
}

STATE { m h }

INITIAL {
  rates(v)
  m = minf
  h = hinf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*m*m*h
  ica = g*(v - eca)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
}

PROCEDURE rates(v (mV)) {
  LOCAL opening, closing
UNITSOFF
  opening = 0.055*linoid(-27 - v, 3.8)
  closing = 0.94*exp((-75 - v)/17)
  mtau = 1/(opening + closing)
  minf = opening/(opening + closing)
  opening = 0.000457*exp((-13 - v)/50)
  closing = 0.0065/(1 + exp((-15 - v)/28))
  htau = 1/(opening + closing)
  hinf = opening/(opening + closing)
UNITSON
}

: x/(exp(x/y) - 1), continued through x = 0
FUNCTION linoid(x, y) {
  if (fabs(x/y) < 1e-6) {
    linoid = y*(1 - x/y/2)
  } else {
    linoid = x/(exp(x/y) - 1)
  }
}
