TITLE Current with a fresh draw in every step
: Constructs: random built-ins scop_random, normrand, exprand, poisrand (compared by their moments alone)

NEURON {
  POINT_PROCESS noisy_current
  ELECTRODE_CURRENT i
  RANGE mean, sd, i, flat, normal, waiting, number
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
  number
}

INITIAL {
  flat = 0.5
  normal = mean
  waiting = 1
  number = 3
}

BREAKPOINT {
  SOLVE draw METHOD after_cvode
  i = normal
}

PROCEDURE draw() {
  flat = scop_random()
  normal = normrand(mean, sd)
  waiting = exprand(2)
  number = poisrand(3)
}
