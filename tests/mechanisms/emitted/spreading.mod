: What spreads along the cable: of an array, and of one STATE with two volumes.
NEURON {
  SUFFIX spreading
  RANGE D, size
}
PARAMETER {
  D = 0.6
  size = 3
}
STATE { a[2] b }
INITIAL {
  a[0] = 1
  a[1] = 2
  b = 4
}
BREAKPOINT { SOLVE scheme METHOD sparse }
KINETIC scheme {
  COMPARTMENT k, size*(k + 1) { a }
  COMPARTMENT 5 { b }
  COMPARTMENT 7 { b }
  LONGITUDINAL_DIFFUSION k, D*(k + 2) { a }
  LONGITUDINAL_DIFFUSION D/2 { b }
  ~ a[0] <-> b (0.5, 0.25)
}
