: Reactions with solutions in closed form: a channel whose states are conserved, an exchange between
: compartments.
NEURON {
  SUFFIX relaxing_scheme
  NONSPECIFIC_CURRENT i
}
PARAMETER { volume = 3 }
ASSIGNED { i (mA/cm2) }
STATE { closed open left right }
INITIAL {
  closed = 1
  open = 0
  left = 1
  right = 0
}
BREAKPOINT {
  SOLVE scheme METHOD sparse
  i = 0
}
KINETIC scheme {
  COMPARTMENT volume { right }
  ~ closed <-> open (0.3 (/ms), 0.2 (/ms))
  ~ left <-> right (0.6 (/ms), 0.3 (/ms))
  CONSERVE closed + open = 1
}
