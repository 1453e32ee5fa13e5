TITLE Delayed rectifier that shows its ion's reversal potential as its own
: Constructs: RANGE of a reversal potential, which is the ion's, before numbers that INITIAL alone computes

NEURON {
  SUFFIX ranged_reversal
  USEION k READ ek WRITE ik
  USEION ca READ cai, ica
  RANGE gbar, ek, ik, ica, lag
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (mM) = (milli/liter)
  (S) = (siemens)
}

PARAMETER {
  gbar = 0.004 (S/cm2)
  middle = -30 (mV)
}

ASSIGNED {
  v (mV)
  celsius (degC)
  ek (mV)
  ik (mA/cm2)
  half (mV)
  cai (mM)
  ica (mA/cm2)
  speed
  lag (ms)
}

STATE { n }

INITIAL {
  half = middle - 5
  speed = 3^((celsius - 22)/10)
  lag = 2/speed
  n = 0.2
}

BREAKPOINT {
  SOLVE gate METHOD cnexp
  ik = gbar*n*(v - ek)
}

DERIVATIVE gate {
  lag = (2 + 100*cai - ica)/speed
  n' = (1/(1 + exp(-(v - half)/8)) - n)/lag
}
