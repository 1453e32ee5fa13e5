TITLE Synapse with short-term depression and facilitation; every connection has its own resources

COMMENT
Tsodyks and Markram 1997, PNAS 94:719; Markram, Wang and Tsodyks 1998, PNAS 95:5323; the form per
spike of Fuhrmann et al. 2002, J. Neurophysiol. 87:140. A spike raises the use u by U of what is
missing to 1 and releases u of the resources x; in between u decays with tau_facil and x recovers
with tau_rec. The conductance jumps by weight*u*x and decays with tau.
ENDCOMMENT

NEURON {
  POINT_PROCESS tmsyn
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
  tau_facil = 0 (ms) <0, 1e9>
}

ASSIGNED {
  v (mV)
  i (nA)
}

STATE { g (uS) }

INITIAL { g = 0 }

BREAKPOINT {
  SOLVE conductance METHOD cnexp
  i = g*(v - e)
}

DERIVATIVE conductance { g' = -g/tau }

NET_RECEIVE(weight (uS), x, u, last (ms)) {
  INITIAL {
    x = 1
    u = 0
    last = t
  }
  if (tau_facil > 0 (ms)) {
    u = u*exp(-(t - last)/tau_facil)
  } else {
    u = 0
  }
  u = u + U*(1 - u)
  x = 1 + (x - 1)*exp(-(t - last)/tau_rec)
  g = g + weight*u*x
  x = x - u*x
  last = t
}
