TITLE Channel whose INITIAL calls the block that BREAKPOINT solves
: Constructs: a DERIVATIVE block called as a PROCEDURE, which takes a step

NEURON {
  SUFFIX begins_by_a_step
  NONSPECIFIC_CURRENT i
  RANGE gbar, e, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 1e-3 (S/cm2)
  e = -80 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  minf
  mtau (ms)
}

STATE { m  n }

INITIAL {
  m = 0.2
  n = 0.7
  gates()
  n = n*minf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  i = gbar*m*(1 - n)*(v - e)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
  n' = 0.1*(1 - n) - 0.3*n
}

PROCEDURE rates(v (mV)) {
  minf = 1/(1 + exp(-(v + 50)/9))
  mtau = 0.2 + 3/(1 + exp((v + 60)/15))
}
