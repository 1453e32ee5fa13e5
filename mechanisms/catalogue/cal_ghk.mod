TITLE L-type calcium current through a permeability: the equation of Goldman, Hodgkin and Katz

COMMENT
Reuveni, Friedman, Amitai and Gutnick 1993, J. Neurosci. 13:4609 (neocortical pyramids); no
temperature correction. Current by Hodgkin and Katz 1949, J. Physiol. 108:37, from the concentrations
on both sides.
ENDCOMMENT

NEURON {
  SUFFIX cal_ghk
  USEION ca READ cai, cao WRITE ica
  RANGE pbar, p
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (mM) = (milli/liter)
  faraday = (faraday) (coulomb)
  R = (k-mole) (joule/degC)
}

PARAMETER { pbar = 0 (cm/s) <0, 1e9> }

ASSIGNED {
  v (mV)
  celsius (degC)
  cai (mM)
  cao (mM)
  ica (mA/cm2)
  p (cm/s)
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
  p = pbar*m*m*h
  ica = p*driving(v, cai, cao)
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

: current of a unit permeability; inside and outside: concentrations
FUNCTION driving(v (mV), inside (mM), outside (mM)) (0.001 coul/cm3) {
  LOCAL x
  x = (0.001)*2*faraday*v/(R*(celsius + 273.15 (degC)))
  driving = (0.001)*2*faraday*(inside*linoid(-x, 1) - outside*linoid(x, 1))
}
