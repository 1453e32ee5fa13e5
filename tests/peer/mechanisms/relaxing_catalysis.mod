: A rate that a state sets: NEURON holds it at its value of the step's beginning.
NEURON {
  SUFFIX relaxing_catalysis
  NONSPECIFIC_CURRENT i
}
PARAMETER { k = 0.8 (/ms) }
ASSIGNED { i (mA/cm2) rate (/ms) }
STATE { catalyst substrate product idle }
INITIAL {
  catalyst = 1
  substrate = 1
  product = 0
  idle = 0.5
}
BREAKPOINT {
  SOLVE scheme METHOD sparse
  i = 0
}
KINETIC scheme {
  rate = 2*catalyst
  ~ catalyst -> (k)
  ~ substrate <-> product (rate, 0 (/ms))
  CONSERVE substrate + product + idle = 1.5
}
