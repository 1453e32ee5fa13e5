: Draws of every kind, some of them in one branch alone; erf and nrn_ghk.
NEURON {
  POINT_PROCESS noise
  NONSPECIFIC_CURRENT i
  RANDOM source
  RANGE flat, normal, waiting, number, own, own_normal, own_waiting, whole, seldom, error, flux, first
}
PARAMETER {
  first = 7
  inside = 1e-4
  outside = 2
}
ASSIGNED {
  v (mV) i (nA) celsius (degC)
  flat normal waiting number own own_normal own_waiting whole seldom error flux
}
INITIAL {
  random_setseq(source, first)
  own = random_uniform(source)
}
BREAKPOINT {
  SOLVE draw METHOD after_cvode
  error = erf(v/50)
  flux = nrn_ghk(v, inside, outside, 2)
  i = error + flux
}
PROCEDURE draw() {
  flat = scop_random()
  normal = normrand(3, 2)
  waiting = exprand(2)
  number = poisrand(3)
  own_normal = random_normal(source, -1, 0.5)
  own_waiting = random_negexp(source, 4)
  whole = random_ipick(source)
  if (v > 0) {
    seldom = random_uniform(source, 10, 20)
  }
}
