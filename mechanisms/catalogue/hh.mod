TITLE Hodgkin-Huxley sodium, potassium and leak (squid axon, q10 = 3 from 6.3 degC)

COMMENT
Hodgkin and Huxley 1952, J. Physiol. 117:500, with the potential shifted to rest at -65 mV; rates
three times faster for each 10 degC above 6.3 degC.
ENDCOMMENT

NEURON {
  SUFFIX hh
  USEION na READ ena WRITE ina
  USEION k READ ek WRITE ik
  NONSPECIFIC_CURRENT il
  RANGE gnabar, gkbar, gl, el, gna, gk, il
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gnabar = 0.12 (S/cm2) <0, 1e9>
  gkbar = 0.036 (S/cm2) <0, 1e9>
  gl = 0.0003 (S/cm2) <0, 1e9>
  el = -54.3 (mV)
}

ASSIGNED {
  v (mV)
  celsius (degC)
  ena (mV)
  ek (mV)
  ina (mA/cm2)
  ik (mA/cm2)
  il (mA/cm2)
  gna (S/cm2)
  gk (S/cm2)
  minf
  hinf
  ninf
  mtau (ms)
  htau (ms)
  ntau (ms)
}

STATE { m h n }

INITIAL {
  rates(v)
  m = minf
  h = hinf
  n = ninf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  gna = gnabar*m*m*m*h
  gk = gkbar*n*n*n*n
  ina = gna*(v - ena)
  ik = gk*(v - ek)
  il = gl*(v - el)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
  n' = (ninf - n)/ntau
}

PROCEDURE rates(v (mV)) {
  LOCAL opening, closing, q10
  TABLE minf, mtau, hinf, htau, ninf, ntau DEPEND celsius FROM -100 TO 100 WITH 200
UNITSOFF
  q10 = 3^((celsius - 6.3)/10)
  opening = 0.1*linoid(-(v + 40), 10)
  closing = 4*exp(-(v + 65)/18)
  mtau = 1/(q10*(opening + closing))
  minf = opening/(opening + closing)
  opening = 0.07*exp(-(v + 65)/20)
  closing = 1/(exp(-(v + 35)/10) + 1)
  htau = 1/(q10*(opening + closing))
  hinf = opening/(opening + closing)
  opening = 0.01*linoid(-(v + 55), 10)
  closing = 0.125*exp(-(v + 65)/80)
  ntau = 1/(q10*(opening + closing))
  ninf = opening/(opening + closing)
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
