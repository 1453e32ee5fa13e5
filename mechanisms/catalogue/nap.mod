TITLE Persistent sodium current of entorhinal layer 2 neurons

COMMENT
Magistretti and Alonso 1999, J. Gen. Physiol. 114:491: half activation -52.6 mV (slope 4.6 mV), half
inactivation -48.8 mV (slope 10 mV), and the rates of inactivation. The paper's activation was too
fast to resolve: m has six times the time constant of the transient current (Colbert and Pan 2002),
as Hay et al. 2011, PLoS Comput. Biol. 7:e1002107, chose. 21 degC, q10 2.3.
ENDCOMMENT

NEURON {
  SUFFIX nap
  USEION na READ ena WRITE ina
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
  ena (mV)
  ina (mA/cm2)
  g (S/cm2)
  speed
  minf
  hinf
  mtau (ms)
  htau (ms)
}

STATE { m h }

INITIAL {
  speed = q10^((celsius - 21 (degC))/10 (degC))
  rates(v)
  m = minf
  h = hinf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*m*m*m*h
  ina = g*(v - ena)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
}

PROCEDURE rates(v (mV)) {
  LOCAL opening, closing
UNITSOFF
  opening = 0.182*linoid(-(v + 38), 6)
  closing = 0.124*linoid(v + 38, 6)
  mtau = 6/(speed*(opening + closing))
  minf = 1/(1 + exp(-(v + 52.6)/4.6))
  opening = 2.88e-6*linoid(v + 17, 4.63)
  closing = 6.94e-6*linoid(-(v + 64.4), 2.63)
  htau = 1/(speed*(opening + closing))
  hinf = 1/(1 + exp((v + 48.8)/10))
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
