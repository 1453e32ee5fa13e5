TITLE Free calcium and buffer in equilibrium, from nonlinear equations
: Constructs: NONLINEAR, its SOLVE in INITIAL and in BREAKPOINT, a variable that BREAKPOINT sets before the step and the
: equations use after it

NEURON {
  SUFFIX nonlinear_equations
  NONSPECIFIC_CURRENT i
  RANGE g, i, total
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 2e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  i (mA/cm2)
  total
}

STATE { free bound }

INITIAL {
  total = 1.5
  free = 0.5
  bound = 1
  SOLVE equilibrium
}

BREAKPOINT {
  total = 1 + 1/(1 + exp(-(v + 50 (mV))/10 (mV)))
  SOLVE equilibrium
  i = g*free*(v + 90 (mV))
}

NONLINEAR equilibrium {
  ~ free*(1.2 - bound) = 0.4*bound
  ~ free + bound = total
}
