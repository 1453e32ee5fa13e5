TITLE Current from generators that belong to the instance
: Constructs: RANDOM in the NEURON block, random_normal, random_uniform, random_negexp, random_setseq. NEURON knows
: them from its version 9 on; compared by their moments alone.

NEURON {
  POINT_PROCESS neuron9_random
  ELECTRODE_CURRENT i
  RANGE mean, sd, i, flat, normal, waiting
  RANDOM drawn
  THREADSAFE
}

UNITS { (nA) = (nanoamp) }

PARAMETER {
  mean = 0.02 (nA)
  sd = 0.05 (nA)
}

ASSIGNED {
  i (nA)
  flat
  normal (nA)
  waiting
}

INITIAL {
  random_setseq(drawn, 5)
  flat = 0.5
  normal = mean
  waiting = 1
}

BREAKPOINT {
  SOLVE draw METHOD after_cvode
  i = normal
}

PROCEDURE draw() {
  flat = random_uniform(drawn, 0, 1)
  normal = random_normal(drawn, mean, sd)
  waiting = random_negexp(drawn, 2)
}
