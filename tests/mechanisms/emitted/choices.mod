: Indices and bounds that only a run knows.
NEURON {
  SUFFIX choices
  NONSPECIFIC_CURRENT i
  RANGE n, which, from, by, sum, picked, outside, squares, nested, branched
}
DEFINE N 5
PARAMETER {
  n = 4
  which = 2
  from = 0
  by = 1
}
ASSIGNED {
  v (mV) i (mA/cm2)
  sum picked outside nested branched
  squares[N]
}
INITIAL {
  LOCAL k, local[N]
  sum = 0
  FROM k = 0 TO N - 1 { squares[k] = -1 }
  FROM k = from TO n - 1 BY by {
    local[k] = k*k
    squares[k] = local[k]
    sum = sum + local[k]
  }
  picked = squares[which]
  outside = squares[which + N]
  nested = 0
  FROM a = 0 TO n - 1 {
    k = a*a + 1
    FROM b = 0 TO a { nested = nested + k }
  }
  branched = 0
  if (n > 2) {
    k = 3*n
    FROM b = 0 TO n - 1 { branched = branched + k }
  }
}
BREAKPOINT {
  LOCAL a[2]
  a[0] = v*v
  a[1] = 3*v
  a[which - 1] = a[which - 1] + a[which - 2]*v
  i = a[which - 1]
}
