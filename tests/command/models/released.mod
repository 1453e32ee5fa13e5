TITLE Current that follows a variable of another cell

COMMENT
Where a graded synapse follows what the presynaptic terminal has, such as its calcium, a script sets the POINTER
`held` to that variable of the other cell. A Hill curve of it opens the conductance, at once in a part `quick` and
with a lag in the rest.
ENDCOMMENT

NEURON {
  POINT_PROCESS released
  POINTER held
  NONSPECIFIC_CURRENT i
  RANGE gmax, quick, half, tau, e, i, seen_first
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
  (mM) = (milli/liter)
}

PARAMETER {
  gmax = 0.005 (uS)
  quick = 1
  half = 0.001 (mM) <1e-12, 1e9>
  tau = 5 (ms) <1e-9, 1e9>
  e = 0 (mV)
}

ASSIGNED {
  v (mV)
  held (mM)
  i (nA)
  seen_first (mM)
}

STATE { s }

INITIAL {
  seen_first = held
  s = open(held)
}

BREAKPOINT {
  SOLVE following METHOD cnexp
  i = gmax*(quick*open(held) + (1 - quick)*s)*(v - e)
}

DERIVATIVE following { s' = (open(held) - s)/tau }

FUNCTION open(c (mM)) { open = c*c/(c*c + half*half) }
