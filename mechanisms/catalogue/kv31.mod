TITLE Kv3.1: fast potassium current that needs strong depolarisation

COMMENT
Rettig et al. 1992, EMBO J. 11:2473 (rat Kv3 channels in oocytes), with the fit of Hay et al. 2011,
PLoS Comput. Biol. 7:e1002107: half activation 18.7 mV, slope 9.7 mV; no temperature correction.
ENDCOMMENT

NEURON {
  SUFFIX kv31
  USEION k READ ek WRITE ik
  RANGE gbar, g
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 0 (S/cm2) <0, 1e9> }

ASSIGNED {
  v (mV)
  ek (mV)
  ik (mA/cm2)
  g (S/cm2)
  minf
  mtau (ms)
}

STATE { m }

INITIAL {
  rates(v)
  m = minf
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*m
  ik = g*(v - ek)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
}

PROCEDURE rates(v (mV)) {
UNITSOFF
  minf = 1/(1 + exp(-(v - 18.7)/9.7))
  mtau = 4/(1 + exp(-(v + 46.56)/44.14))
UNITSON
}
