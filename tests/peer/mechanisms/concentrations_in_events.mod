TITLE Point process whose events set concentrations
: Constructs: NET_RECEIVE assigns an ion's concentration that is ASSIGNED, which is lost behind the event, and one that is
: a STATE, which stays; what it leaves in variables of its own

NEURON {
  POINT_PROCESS concentrations_in_events
  USEION ca READ cai, cao WRITE cai, cao
  RANGE tau, seen, after
}

UNITS {
  (mM) = (milli/liter)
  (uS) = (microsiemens)
}

PARAMETER { tau = 8 (ms) }

ASSIGNED {
  cao (mM)
  seen (mM)
  after (mM)
}

STATE { cai (mM) }

INITIAL {
  seen = 0
  after = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  seen = cai + cao
}

DERIVATIVE decay { cai' = (5e-5 (mM) - cai)/tau }

NET_RECEIVE(weight (uS)) {
  cai = cai + weight*1 (mM/uS)
  cao = cao + 0.01 (mM)
  if (weight > 0) { after = cai + cao }
}
