TITLE Chloride that leaks, is pumped out and gathers inside
: Constructs: USEION of an ion of one's own with VALENCE, READ and WRITE of its inner concentration as a STATE,
: its reversal potential by nernst as the concentration moves

NEURON {
  SUFFIX own_ion
  USEION cl READ ecl, icl WRITE cli, icl VALENCE -1
  RANGE g, rest, tau, depth
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
  (mM) = (milli/liter)
  (um) = (micron)
  FARADAY = (faraday) (coulomb)
}

PARAMETER {
  g = 3e-4 (S/cm2)
  rest = 6 (mM)
  tau = 40 (ms)
  depth = 0.2 (um)
}

ASSIGNED {
  v (mV)
  ecl (mV)
  icl (mA/cm2)
}

STATE { cli (mM) }

INITIAL { cli = rest }

BREAKPOINT {
  SOLVE gathering METHOD cnexp
  icl = g*(v - ecl)
}

DERIVATIVE gathering { cli' = (1e4)*icl/(FARADAY*depth) - (cli - rest)/tau }
