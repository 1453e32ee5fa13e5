TITLE Calcium under the membrane: a shell that currents fill and first-order removal empties

COMMENT
Destexhe, Contreras, Sejnowski and Steriade 1994, J. Neurophysiol. 72:803: entry through currents
into a shell of a given depth and exponential return to rest. gamma is the fraction of the entering
calcium that stays free.
ENDCOMMENT

NEURON {
  SUFFIX capool
  USEION ca READ ica WRITE cai
  RANGE gamma, decay, depth, minCai
  THREADSAFE
}

UNITS {
  (mA) = (milliamp)
  (mM) = (milli/liter)
  (um) = (micron)
  faraday = (faraday) (coulomb)
}

PARAMETER {
  gamma = 0.05 <0, 1>
  decay = 80 (ms) <1e-9, 1e9>
  depth = 0.1 (um) <1e-9, 1e9>
  minCai = 1e-4 (mM) <0, 1e9>
}

ASSIGNED { ica (mA/cm2) }

STATE { cai (mM) }

INITIAL { cai = minCai }

BREAKPOINT { SOLVE shell METHOD cnexp }

DERIVATIVE shell {
  cai' = -(10000)*gamma*ica/(2*faraday*depth) - (cai - minCai)/decay
}
