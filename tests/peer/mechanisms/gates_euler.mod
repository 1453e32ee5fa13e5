TITLE Slow adaptation by explicit steps
: Constructs: SOLVE euler, a nonlinear DERIVATIVE, two states that see one another

NEURON {
  SUFFIX gates_euler
  NONSPECIFIC_CURRENT i
  RANGE g, e, a, b, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  g = 4e-4 (S/cm2)
  e = -90 (mV)
  a = 0.02 (/ms)
  b = 0.3
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

STATE { w z }

INITIAL {
  w = 0.1
  z = 0
}

BREAKPOINT {
  SOLVE adaptation METHOD euler
  i = g*w*(1 + z)*(v - e)
}

DERIVATIVE adaptation {
  w' = a*(1/(1 + exp(-(v + 50 (mV))/8 (mV))) - w*w) - b*z*0.05 (/ms)
  z' = 0.1 (/ms)*(w - z)
}
