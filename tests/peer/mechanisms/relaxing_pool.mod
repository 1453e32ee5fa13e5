: A pool of calcium that empties: with swinging_calcium, a solution in closed form.
NEURON {
  SUFFIX relaxing_pool
  USEION ca READ ica WRITE cai
}
PARAMETER { tau = 4 (ms) rest = 0.1 (mM) }
ASSIGNED { ica (mA/cm2) }
STATE { cai (mM) }
INITIAL { cai = rest }
BREAKPOINT { SOLVE pool METHOD derivimplicit }
DERIVATIVE pool {
  cai' = -ica*1000 + (rest - cai)/tau
}
