TITLE A pool in a volume that INITIAL computes, and NEURON has one of for all places
: Constructs: GLOBAL parameter that INITIAL assigns, in what is constant all along a run

NEURON {
  SUFFIX pool_of_last_volume
  NONSPECIFIC_CURRENT i
  RANGE gbar, i
  GLOBAL volume
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
  (um) = (micron)
}

PARAMETER {
  gbar = 1e-4 (S/cm2)
  volume = 1 (um3)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  diam (um)
}

STATE { level }

INITIAL {
  volume = diam*diam*1(um)
  level = 0.5
}

BREAKPOINT {
  SOLVE fill METHOD cnexp
  i = gbar*level*(v + 20(mV))
}

DERIVATIVE fill {
  level' = 20(um3/ms)*(1 - level)/(1.7*volume) - 0.1(/ms)*level
}
