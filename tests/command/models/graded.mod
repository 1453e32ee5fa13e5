TITLE Graded synapse: a conductance that follows the voltage of another cell

COMMENT
The current's conductance follows the voltage vpre of the other cell, at once in a part `quick` and with a
lag in the rest. NEURON's way: a POINTER, which a script sets to the other cell's v.
ENDCOMMENT

NEURON {
  POINT_PROCESS graded
  THREADSAFE
  POINTER vpre
  NONSPECIFIC_CURRENT i
  RANGE gmax, quick, half, slope, tau, e, i
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  gmax = 0.005 (uS)
  quick = 0.5
  half = -40 (mV)
  slope = 5 (mV)
  tau = 5 (ms) <1e-9, 1e9>
  e = 0 (mV)
}

ASSIGNED {
  v (mV)
  vpre (mV)
  i (nA)
}

STATE { s }

INITIAL { s = steady(vpre) }

BREAKPOINT {
  SOLVE following METHOD cnexp
  i = gmax*(quick*steady(vpre) + (1 - quick)*s)*(v - e)
}

DERIVATIVE following { s' = (steady(vpre) - s)/tau }

FUNCTION steady(u (mV)) { steady = 1/(1 + exp(-(u - half)/slope)) }
