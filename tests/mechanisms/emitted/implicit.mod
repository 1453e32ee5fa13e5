: Equations solved within the current: linear and not, one after the other.
NEURON {
  SUFFIX implicit
  NONSPECIFIC_CURRENT i
  RANGE x, z, y
}
STATE { x z y }
ASSIGNED { v (mV) i (mA/cm2) }
BREAKPOINT {
  balance()
  i = 0.01*x + y*y*z
}
PROCEDURE balance() {
  SOLVE equations
  SOLVE curve
}
LINEAR equations {
  ~ z = x - v/10
  ~ (2 + v*v/1000)*x + z = 3
}
NONLINEAR curve SOLVEFOR y {
  ~ y*y*y + y*x = v/10
}
