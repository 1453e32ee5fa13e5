: Diffusion between 40 shells of different sizes, more than a dense solver would take.
NEURON {
  SUFFIX shells
  RANGE c, rate, total
}
DEFINE N 40
PARAMETER { rate = 0.7 (/ms) }
STATE { c[N] }
ASSIGNED {
  size[N]
  total
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
}
