TITLE Counts and running values kept around the steps
: Constructs: BEFORE INITIAL, AFTER INITIAL, BEFORE BREAKPOINT, AFTER SOLVE, BEFORE STEP, t and dt in a mechanism

NEURON {
  SUFFIX before_and_after
  NONSPECIFIC_CURRENT i
  RANGE g, i, steps, breakpoints, solved, highest, prepared, settled
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 1e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  i (mA/cm2)
  steps
  breakpoints
  solved
  highest (mV)
  prepared
  settled
}

STATE { x }

BEFORE INITIAL {
  steps = 0
  breakpoints = 0
  solved = 0
  prepared = 0.3
  highest = -1000
}

INITIAL { x = prepared }

AFTER INITIAL { settled = x + 0.1 }

BEFORE BREAKPOINT { breakpoints = breakpoints + 1 }

BREAKPOINT {
  SOLVE relax METHOD cnexp
  i = g*(x + settled + 0.001*solved)*(v + 80 (mV))
}

DERIVATIVE relax { x' = (1/(1 + exp(-(v + 50 (mV))/10 (mV))) - x)/8 (ms) }

AFTER SOLVE { solved = solved + 1 }

BEFORE STEP {
  steps = steps + 1
  if (v > highest) {
    highest = v
  }
}
