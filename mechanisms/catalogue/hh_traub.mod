TITLE sodium and potassium currents of Traub and Miles, as in COBAHH (36 degC rates)

COMMENT
Traub and Miles 1991, Neuronal Networks of the Hippocampus, as the COBAHH benchmark has them:
Brette et al. 2007, J. Comput. Neurosci. 23:349, appendix (benchmark 3). Rates of 36 degC; vt moves
all of them along the voltage axis.
ENDCOMMENT

NEURON {
  SUFFIX hh_traub
  USEION na READ ena WRITE ina
  USEION k READ ek WRITE ik
  RANGE gnabar, gkbar, vt, gna, gk
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gnabar = 0.1 (S/cm2) <0, 1e9>
  gkbar = 0.03 (S/cm2) <0, 1e9>
  vt = -63 (mV)
}

ASSIGNED {
  v (mV)
  ena (mV)
  ek (mV)
  ina (mA/cm2)
  ik (mA/cm2)
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
  rates(v - vt)
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
}

DERIVATIVE gates {
  rates(v - vt)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
  n' = (ninf - n)/ntau
}

PROCEDURE rates(above (mV)) {
  LOCAL opening, closing
UNITSOFF
  opening = 0.32*linoid(13 - above, 4)
  closing = 0.28*linoid(above - 40, 5)
  mtau = 1/(opening + closing)
  minf = opening/(opening + closing)
  opening = 0.128*exp((17 - above)/18)
  closing = 4/(1 + exp((40 - above)/5))
  htau = 1/(opening + closing)
  hinf = opening/(opening + closing)
  opening = 0.032*linoid(15 - above, 5)
  closing = 0.5*exp((10 - above)/40)
  ntau = 1/(opening + closing)
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
