TITLE Delayed rectifier: the slowly inactivating potassium current of layer 5 pyramids

COMMENT
Korngreen and Sakmann 2000, J. Physiol. 525:621 (nucleated patches of layer 5 pyramids, 21 degC).
Their voltages lack the correction for the liquid junction, which junction holds. q10 2.3.
ENDCOMMENT

NEURON {
  SUFFIX kdr
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
  junction = 10 (mV)
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
  hinf
  mtau (ms)
  htau (ms)
}

STATE { m h }

INITIAL {
  speed = q10^((celsius - 21 (degC))/10 (degC))
  rates(v + junction)
  m = minf
  h = hinf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*m*m*h
  ik = g*(v - ek)
}

DERIVATIVE gates {
  rates(v + junction)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
}

PROCEDURE rates(u (mV)) {
UNITSOFF
  minf = 1/(1 + exp(-(u + 1)/12))
  if (u < -50) {
    mtau = (1.25 + 175.03*exp(0.026*u))/speed
  } else {
    mtau = (1.25 + 13*exp(-0.026*u))/speed
  }
  hinf = 1/(1 + exp((u + 54)/11))
  htau = (360 + (1010 + 24*(u + 55))*exp(-((u + 75)/48)^2))/speed
UNITSON
}
