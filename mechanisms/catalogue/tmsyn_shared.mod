TITLE Synapse with short-term depression and facilitation; all its connections share one pool

COMMENT
Tsodyks and Markram 1997, PNAS 94:719; Markram, Wang and Tsodyks 1998, PNAS 95:5323. As tmsyn, but
the use u and the resources x are states of the synapse: spikes of any connection draw on them.
ENDCOMMENT

NEURON {
  POINT_PROCESS tmsyn_shared
  RANGE tau, e, U, tau_rec, tau_facil, i
  NONSPECIFIC_CURRENT i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  tau = 3 (ms) <1e-9, 1e9>
  e = 0 (mV)
  U = 0.5 <0, 1>
  tau_rec = 800 (ms) <1e-9, 1e9>
  tau_facil = 50 (ms) <1e-9, 1e9>
}

ASSIGNED {
  v (mV)
  i (nA)
}

STATE {
  g (uS)
  x
  u
}

INITIAL {
  g = 0
  x = 1
  u = 0
}

BREAKPOINT {
  SOLVE recovery METHOD cnexp
  i = g*(v - e)
}

DERIVATIVE recovery {
  g' = -g/tau
  x' = (1 - x)/tau_rec
  u' = -u/tau_facil
}

NET_RECEIVE(weight (uS)) {
  u = u + U*(1 - u)
  g = g + weight*u*x
  x = x - u*x
}
