TITLE Calcium channel that follows a moving reversal potential
: Constructs: USEION READ of a reversal potential that nernst moves, of both concentrations

NEURON {
  SUFFIX calcium_by_nernst
  USEION ca READ eca, cai, cao WRITE ica
  RANGE gbar, seen, ratio
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
  (mM) = (milli/liter)
}

PARAMETER { gbar = 2e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  eca (mV)
  cai (mM)
  cao (mM)
  ica (mA/cm2)
  seen (mV)
  ratio
}

STATE { m }

INITIAL { m = 1/(1 + exp(-(v + 40 (mV))/8 (mV))) }

BREAKPOINT {
  SOLVE gate METHOD cnexp
  seen = eca
  ratio = cao/cai
  ica = gbar*m*m/(1 + cai/0.002 (mM))*(v - eca)
}

DERIVATIVE gate { m' = (1/(1 + exp(-(v + 40 (mV))/8 (mV))) - m)/1.5 (ms) }
