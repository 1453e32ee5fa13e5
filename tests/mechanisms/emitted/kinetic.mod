: Opening and closing with a conserved sum.
NEURON {
  SUFFIX kinetic
  NONSPECIFIC_CURRENT i
}
ASSIGNED { v (mV) i (mA/cm2) }
STATE { open closed }
INITIAL {
  closed = 1
  SOLVE gate STEADYSTATE sparse
}
BREAKPOINT {
  SOLVE gate METHOD sparse
  i = 0
}
KINETIC gate {
  ~ closed <-> open (0.3 (/ms), 0.2 (/ms))
  CONSERVE open + closed = 1
}
