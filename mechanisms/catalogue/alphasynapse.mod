TITLE synapse that no event reaches: one alpha function of conductance, from a given time on

COMMENT
The conductance gmax*x*exp(1 - x) with x = (t - onset)/tau, as NEURON's AlphaSynapse has it: none
before the onset, and none behind ten times tau.
Alpha function: Rall W (1967) J Neurophysiol 30:1138-1168.
ENDCOMMENT

NEURON {
  POINT_PROCESS alphasynapse
  NONSPECIFIC_CURRENT i
  RANGE onset, tau, gmax, e, g, i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  onset = 0 (ms)
  tau = 0.1 (ms) <1e-3, 1e6>
  gmax = 0 (uS) <0, 1e9>
  e = 0 (mV)
}

ASSIGNED {
  v (mV)
  g (uS)
  i (nA)
}

BREAKPOINT {
  LOCAL x
  x = (t - onset)/tau
  g = 0
  if (x >= 0 && x <= 10) {
    g = gmax*x*exp(1 - x)
  }
  i = g*(v - e)
}
