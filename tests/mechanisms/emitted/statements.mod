: Branches, loops, arrays, functions.
NEURON {
  SUFFIX statements
  NONSPECIFIC_CURRENT i
  RANGE which, sum, halvings, power, logic, table, functions
}
DEFINE N 3
ASSIGNED {
  v (mV) i (mA/cm2)
  which sum halvings power logic functions
  table[N]
}
INITIAL {
  LOCAL left, k
  if (v < -60) {
    which = 1
  } else if (v < 0) {
    which = 2
  } else {
    which = 3
  }
  sum = 0
  FROM k = 1 TO 4 { sum = sum + square(k) }
  FROM k = 0 TO N - 1 { table[k] = 2*(k + 1) }
  left = 100
  halvings = 0
  while (left >= 1) {
    left = left/2
    halvings = halvings + 1
  }
  power = 2.5^3 + 2.5^1.5 + (-2)^3
  logic = (v > -60 && !(v > 0)) || v == 10
  functions = sqrt(2) + sin(0.5) + cos(0.5) + tanh(0.3) + floor(-1.5) + ceil(1.2) + fmod(7.5, 2) + log10(50) + fabs(-3)
}
BREAKPOINT { i = 0 }
FUNCTION square(x) { square = x*x }
