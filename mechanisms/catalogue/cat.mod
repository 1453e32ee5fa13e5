TITLE T-type calcium current: low threshold, inactivating

COMMENT
Steady states of Avery and Johnston 1996, J. Neurosci. 16:5567 (CA3 pyramids); time constants of
Randall and Tsien 1997, Neuropharmacology 36:879, at 21 degC. Both lack the correction for the liquid
junction, which junction holds. q10 2.3.
ENDCOMMENT

NEURON {
  SUFFIX cat
  USEION ca READ eca WRITE ica
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
  eca (mV)
  ica (mA/cm2)
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
  ica = g*(v - eca)
}

DERIVATIVE gates {
  rates(v + junction)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
}

PROCEDURE rates(u (mV)) {
UNITSOFF
  minf = 1/(1 + exp(-(u + 30)/6))
  mtau = (5 + 20/(1 + exp((u + 25)/5)))/speed
  hinf = 1/(1 + exp((u + 80)/6.4))
  htau = (20 + 50/(1 + exp((u + 40)/7)))/speed
UNITSON
}
