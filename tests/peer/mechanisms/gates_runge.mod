TITLE Slow adaptation by steps of fourth order
: Constructs: SOLVE runge, rates that follow time, a value that the block assigns

NEURON {
  SUFFIX gates_runge
  NONSPECIFIC_CURRENT i
  RANGE g, e, a, b, i, share
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  g = 4e-4 (S/cm2)
  e = -90 (mV)
  a = 0.5 (/ms)
  b = 0.3
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  share
}

STATE { w z }

INITIAL {
  w = 0.1
  z = 0
}

BREAKPOINT {
  SOLVE adaptation METHOD runge
  i = g*w*(1 + z)*(v - e)
}

DERIVATIVE adaptation {
  share = w*(1 - z)
  w' = a*(1/(1 + exp(-(v + 50 (mV))/8 (mV))) - w*w) - b*z*0.05 (/ms)
  z' = 0.1 (/ms)*(w - z)*(1 + sin(0.4 (/ms)*t))
}
