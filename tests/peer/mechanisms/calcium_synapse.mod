TITLE NMDA synapse a part of whose current is calcium
: Constructs: USEION in a POINT_PROCESS (a current in nA that a pool under the whole membrane gathers), READ of a
: reversal potential that moves, v in NET_RECEIVE, a current nonlinear in v

NEURON {
  POINT_PROCESS calcium_synapse
  USEION ca READ eca WRITE ica
  NONSPECIFIC_CURRENT i
  RANGE tau, part, i, ica, at_arrival, block
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  tau = 15 (ms)
  part = 0.1
}

ASSIGNED {
  v (mV)
  eca (mV)
  i (nA)
  ica (nA)
  at_arrival (mV)
  block
}

STATE { g (uS) }

INITIAL {
  g = 0
  at_arrival = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  block = 1/(1 + exp(-0.062 (/mV)*v)/3.57)
  ica = part*g*block*(v - eca)
  i = (1 - part)*g*block*v
}

DERIVATIVE decay { g' = -g/tau }

NET_RECEIVE(weight (uS)) {
  at_arrival = v
  if (v > -66 (mV)) {
    g = g + weight
  } else {
    g = g + 0.5*weight
  }
}
