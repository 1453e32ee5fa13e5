TITLE Channel whose steady state and time constant are tables that the script supplies
: Constructs: FUNCTION_TABLE of one and of two arguments

NEURON {
  SUFFIX function_table
  NONSPECIFIC_CURRENT i
  RANGE gbar, e, i, warmth
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 1e-3 (S/cm2)
  e = -80 (mV)
  warmth = 1.5
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

STATE { m }

INITIAL { m = steady(v) }

BREAKPOINT {
  SOLVE gate METHOD cnexp
  i = gbar*m*(v - e)
}

DERIVATIVE gate { m' = (steady(v) - m)/lag(v, warmth) }

FUNCTION_TABLE steady(v (mV))

FUNCTION_TABLE lag(v (mV), w) (ms)
