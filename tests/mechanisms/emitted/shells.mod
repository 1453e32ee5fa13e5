: Diffusion between 40 shells of different sizes, more than a dense solver would take.
NEURON {
  SUFFIX shells
  RANGE c, rate, outer, seen
}
DEFINE N 40
PARAMETER { rate = 0.7 (/ms) }
STATE { c[N] }
ASSIGNED {
  size[N]
  outer
  seen
  between
}
INITIAL {
  FROM k = 0 TO N - 1 {
    size[k] = 1 + 0.1*k
    c[k] = 0
  }
  c[0] = 10
}
BREAKPOINT { SOLVE diffusion METHOD sparse }
KINETIC diffusion {
  COMPARTMENT k, size[k] { c }
  FROM k = 0 TO N - 2 {
    ~ c[k] <-> c[k + 1] (rate, rate)
  }
  between = 2*c[0]
  outer = c[0]
  if (outer > 1) {
    between = between + 1
  }
  seen = between
}
