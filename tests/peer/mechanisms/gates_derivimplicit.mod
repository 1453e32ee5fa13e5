TITLE An oscillator of three coupled nonlinear states by implicit steps
: Constructs: SOLVE derivimplicit, DERIVATIVE with products of states, LOCAL in DERIVATIVE

NEURON {
  SUFFIX gates_derivimplicit
  NONSPECIFIC_CURRENT i
  RANGE gbar, rate, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 3e-4 (S/cm2)
  rate = 0.4 (/ms)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

STATE { x w z }

INITIAL {
  x = 1.2
  w = 0.4
  z = 0.1
}

BREAKPOINT {
  SOLVE oscillator METHOD derivimplicit
  i = gbar*(x + z)*(v + 20 (mV))
}

DERIVATIVE oscillator {
  LOCAL drive
  drive = 0.02*(v + 65 (mV))/1 (mV)
  x' = rate*(1 + drive + x*x*w - 3.2*x)
  w' = rate*(2.2*x - x*x*w)
  z' = rate*(0.3*x - z*z)
}
