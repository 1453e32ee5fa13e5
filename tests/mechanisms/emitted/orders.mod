: Solutions known in closed form, by every method that steps implicitly: nothing here depends on v.
NEURON {
  SUFFIX orders
  USEION ca READ ica, cai WRITE cai
  NONSPECIFIC_CURRENT i
  RANGE half, doubled, rate, dt_seen
}
PARAMETER { k = 0.8 (/ms) tau = 4 (ms) rest = 0.1 (mM) volume = 3 }
ASSIGNED { i (mA/cm2) ica (mA/cm2) half doubled rate (/ms) dt_seen (ms) dt (ms) }
STATE {
  linear squared upper lower  : derivimplicit
  closed open blocked         : sparse, conserved
  left right                  : sparse, in compartments
  pair                        : sparse, not linear
  chain[3]                    : sparse, an array
  catalyst substrate product idle  : sparse, with a rate that a state sets
  forward                     : euler
  cai (mM)
}
INITIAL {
  linear = 1
  squared = 1
  upper = 1
  lower = 0
  closed = 1
  open = 0
  blocked = 0
  left = 1
  right = 0
  pair = 1
  chain[0] = 1
  chain[1] = 0
  chain[2] = 0
  catalyst = 1
  substrate = 1
  product = 0
  idle = 0.5
  forward = 1
  cai = rest
}
BREAKPOINT {
  SOLVE equations METHOD derivimplicit
  SOLVE channel METHOD sparse
  SOLVE exchange METHOD sparse
  SOLVE pairs METHOD sparse
  SOLVE chained METHOD sparse
  SOLVE catalysed METHOD sparse
  SOLVE steps METHOD euler
  SOLVE pool METHOD derivimplicit
  i = 0
}
DERIVATIVE equations {
  dt_seen = dt
  half = linear/2
  linear' = -k*linear
  squared' = -squared*squared
  upper' = -k*lower
  lower' = k*upper
}
KINETIC channel {
  doubled = 2*open
  ~ closed <-> open (0.3 (/ms), 0.2 (/ms))
  ~ open <-> blocked (0.1 (/ms), 0.4 (/ms))
  CONSERVE closed + open + blocked = 1
}
KINETIC exchange {
  COMPARTMENT volume { right }
  ~ left <-> right (0.6 (/ms), 0.3 (/ms))
}
KINETIC pairs { ~ pair + pair -> (0.5 (/ms)) }
KINETIC chained {
  FROM j = 0 TO 1 { ~ chain[j] <-> chain[j+1] (k, 0 (/ms)) }
}
KINETIC catalysed {
  rate = 2*catalyst
  ~ catalyst -> (k)
  ~ substrate <-> product (rate, 0 (/ms))
  CONSERVE substrate + product + idle = 1.5
}
DERIVATIVE steps { forward' = -k*forward }
DERIVATIVE pool { cai' = -ica + (rest - cai)/tau }
