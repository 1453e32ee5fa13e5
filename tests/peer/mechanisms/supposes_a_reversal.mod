TITLE Potassium channel that begins as if its reversal potential were another one
: Constructs: INITIAL assigns what the file only READs of an ion; a step reads it again

NEURON {
  SUFFIX supposes_a_reversal
  USEION k READ ek WRITE ik
  RANGE gbar, n
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 5e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  ek (mV)
  ik (mA/cm2)
}

STATE { n }

INITIAL {
  ek = -40
  n = 1/(1 + exp((ek - v)/10))
}

BREAKPOINT {
  SOLVE gate METHOD cnexp
  ik = gbar*n*(v - ek)
}

DERIVATIVE gate { n' = (1/(1 + exp(-(v - ek - 30)/10)) - n)/5 }
