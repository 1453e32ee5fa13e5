TITLE Transient sodium current of neocortical pyramidal neurons

COMMENT
Colbert and Pan 2002, Nat. Neurosci. 5:533 (layer 5, 21 degC), with the rates that Hay et al. 2011,
PLoS Comput. Biol. 7:e1002107, give for it. Half activation of m -40.3 mV, half inactivation -66 mV,
both with a slope of 6 mV; q10 2.3.
ENDCOMMENT

NEURON {
  SUFFIX nat
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
  mtau = 1/(speed*(opening + closing))
  minf = opening/(opening + closing)
  opening = 0.015*linoid(v + 66, 6)
  closing = 0.015*linoid(-(v + 66), 6)
  htau = 1/(speed*(opening + closing))
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
