TITLE BK: potassium current that calcium and depolarisation open

COMMENT
Moczydlowski and Latorre 1983, J. Gen. Physiol. 82:511 (channels of rat muscle in bilayers): the
scheme of two calcium ions whose binding feels the fractions d1 and d2 of the membrane's field.
ENDCOMMENT

NEURON {
  SUFFIX bk
  USEION k READ ek WRITE ik
  USEION ca READ cai
  RANGE gbar, g
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
  (mM) = (milli/liter)
  faraday = (faraday) (coulomb)
  R = (k-mole) (joule/degC)
}

PARAMETER {
  gbar = 0 (S/cm2) <0, 1e9>
  d1 = 0.84
  d2 = 1
  k1 = 0.18 (mM) <1e-12, 1e9>
  k2 = 0.011 (mM) <1e-12, 1e9>
  alphabar = 0.48 (/ms) <0, 1e9>
  betabar = 0.28 (/ms) <0, 1e9>
}

ASSIGNED {
  v (mV)
  celsius (degC)
  cai (mM)
  ek (mV)
  ik (mA/cm2)
  g (S/cm2)
  oinf
  otau (ms)
}

STATE { o }

INITIAL {
  rates(v, cai)
  o = oinf
}

BREAKPOINT {
  SOLVE gate METHOD cnexp
  g = gbar*o
  ik = g*(v - ek)
}

DERIVATIVE gate {
  rates(v, cai)
  o' = (oinf - o)/otau
}

PROCEDURE rates(v (mV), ca (mM)) {
  LOCAL opening, closing
  opening = alphabar*ca/(ca + affinity(k1, d1, v))
  closing = betabar/(1 + ca/affinity(k2, d2, v))
  otau = 1/(opening + closing)
  oinf = opening/(opening + closing)
}

: a dissociation constant that feels the fraction d of the field
FUNCTION affinity(k (mM), d, v (mV)) (mM) {
  affinity = k*exp(-2*d*(0.001)*faraday*v/(R*(celsius + 273.15 (degC))))
}
