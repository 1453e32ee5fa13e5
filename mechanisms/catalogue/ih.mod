TITLE Ih: mixed cation current that hyperpolarisation opens

COMMENT
Kole, Hallermann and Stuart 2006, J. Neurosci. 26:1677 (layer 5 pyramids, 34 degC); no temperature
correction.
ENDCOMMENT

NEURON {
  SUFFIX ih
  NONSPECIFIC_CURRENT i
  RANGE gbar, e, g, i
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 0 (S/cm2) <0, 1e9>
  e = -45 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  g (S/cm2)
  minf
  mtau (ms)
}

STATE { m }

INITIAL {
  rates(v)
  m = minf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*m
  i = g*(v - e)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
}

PROCEDURE rates(v (mV)) {
  LOCAL opening, closing
UNITSOFF
  opening = 6.43e-3*linoid(v + 154.9, 11.9)
  closing = 0.193*exp(v/33.1)
  mtau = 1/(opening + closing)
  minf = opening/(opening + closing)
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
