: Opening and closing with a conserved sum, and an exchange with what is constant.
NEURON {
  SUFFIX kinetic
  NONSPECIFIC_CURRENT i
}
ASSIGNED { v (mV) i (mA/cm2) }
CONSTANT { sea = 0.4 }
STATE { open closed wet }
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
  ~ wet <-> sea (0.3 (/ms), 0.5 (/ms))
  CONSERVE open + closed = 1
}
