TITLE A-type current: the rapidly inactivating potassium current of layer 5 pyramids

COMMENT
Korngreen and Sakmann 2000, J. Physiol. 525:621 (nucleated patches of layer 5 pyramids, 21 degC).
Their voltages lack the correction for the liquid junction, which junction holds. q10 2.3.
ENDCOMMENT

NEURON {
  SUFFIX ka
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
  g = gbar*m*m*m*m*h
  ik = g*(v - ek)
}

DERIVATIVE gates {
  rates(v + junction)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
}

PROCEDURE rates(u (mV)) {
UNITSOFF
  minf = 1/(1 + exp(-u/19))
  mtau = (0.34 + 0.92*exp(-((u + 71)/59)^2))/speed
  hinf = 1/(1 + exp((u + 66)/10))
  htau = (8 + 49*exp(-((u + 73)/23)^2))/speed
UNITSON
}
