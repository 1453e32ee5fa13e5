: Calcium that diffuses between 30 shells and binds to a buffer in each: rates that states set, in
: more statements than one function takes.
NEURON {
  SUFFIX buffered
  RANGE ca, free, bound, seen
}
DEFINE N 30
PARAMETER {
  apart = 0.7 (/ms)
  binding = 3 (/ms)
  leaving = 0.4 (/ms)
}
STATE {
  ca[N]
  free[N]
  bound[N]
}
ASSIGNED { seen }
INITIAL {
  FROM k = 0 TO N - 1 {
    ca[k] = 0.1
    free[k] = 2 - 0.05*k
    bound[k] = 0.05*k
  }
  ca[0] = 5
}
BREAKPOINT { SOLVE spreading METHOD sparse }
KINETIC spreading {
  FROM k = 0 TO N - 2 {
    ~ ca[k] <-> ca[k + 1] (apart, apart)
  }
  FROM k = 0 TO N - 1 {
    ~ ca[k] + free[k] <-> bound[k] (binding, leaving)
  }
  seen = 2*ca[0]
}
