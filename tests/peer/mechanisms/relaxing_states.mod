: Equations with solutions in closed form, by derivimplicit: a decay, one that is not linear, two
: that turn around each other.
NEURON {
  SUFFIX relaxing_states
  NONSPECIFIC_CURRENT i
}
PARAMETER { k = 0.8 (/ms) }
ASSIGNED { i (mA/cm2) }
STATE { linear squared upper lower }
INITIAL {
  linear = 1
  squared = 1
  upper = 1
  lower = 0
}
BREAKPOINT {
  SOLVE equations METHOD derivimplicit
  i = 0
}
DERIVATIVE equations {
  linear' = -k*linear
  squared' = -squared*squared
  upper' = -k*lower
  lower' = k*upper
}
