: A reaction of second order: pair' = -pair*pair.
NEURON {
  SUFFIX relaxing_pairs
  NONSPECIFIC_CURRENT i
}
ASSIGNED { i (mA/cm2) }
STATE { pair }
INITIAL { pair = 1 }
BREAKPOINT {
  SOLVE scheme METHOD sparse
  i = 0
}
KINETIC scheme {
  ~ pair + pair -> (0.5 (/ms))
}
