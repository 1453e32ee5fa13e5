TITLE Occupancies of a channel as the solution of linear equations
: Constructs: LINEAR, SOLVE of it without a method, in INITIAL and in BREAKPOINT

NEURON {
  SUFFIX linear_equations
  NONSPECIFIC_CURRENT i
  RANGE g, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 3e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  i (mA/cm2)
  up
  down
}

STATE { closed open blocked }

INITIAL { SOLVE occupancy }

BREAKPOINT {
  SOLVE occupancy
  i = g*open*(v + 85 (mV))
}

LINEAR occupancy {
  up = exp((v + 50 (mV))/20 (mV))
  down = exp(-(v + 60 (mV))/25 (mV))
  ~ up*closed - (down + 0.3)*open + 0.1*blocked = 0
  ~ 0.3*open - 0.1*blocked = 0
  ~ closed + open + blocked = 1
}
