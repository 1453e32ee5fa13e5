TITLE Calcium with a buffer and a pump at the membrane
: Constructs: KINETIC with COMPARTMENT, CONSERVE, reaction with two reactants, <<, ->, f_flux and b_flux,
: USEION READ and WRITE of a concentration and a current, faraday, diam

NEURON {
  SUFFIX kinetic_pump
  USEION ca READ ica, cao, cai WRITE ica, cai
  RANGE pumped, buffer_total, pump_total, last_current
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (mM) = (milli/liter)
  (um) = (micron)
  (mol) = (1)
  FARADAY = (faraday) (coulombs)
}

PARAMETER {
  buffer_total = 0.05 (mM) <0, 10>
  pump_total = 1e-11 (mol/cm2)
  cao (mM)
}

ASSIGNED {
  v (mV)
  diam (um)
  ica (mA/cm2)
  cai (mM)
  pumped (mA/cm2)
  last_current (mA/cm2)
  shell (um)
}

STATE {
  ca (mM)
  free (mM)
  bound (mM)
  pump (mol/cm2)
  pumpca (mol/cm2)
}

INITIAL {
  shell = 0.1
  ca = cai
  free = buffer_total/(1 + cai/0.001)
  bound = buffer_total - free
  pump = pump_total/(1 + cai/0.002)
  pumpca = pump_total - pump
  last_current = 0
}

BREAKPOINT {
  SOLVE scheme METHOD sparse
  last_current = pumped
  ica = pumped
}

KINETIC scheme {
  COMPARTMENT (1e10)*shell {pump pumpca}
  COMPARTMENT diam*shell {ca free bound}
  ~ ca + free <-> bound (100*diam*shell, 0.1*diam*shell)
  ~ ca + pump <-> pumpca (1e10*shell*0.5, 1e10*shell*0.001)
  ~ pumpca <-> pump (1e10*shell*0.01, 0)
  pumped = 0.001*(f_flux - b_flux)*2*FARADAY/(1e10*shell)*1e8
  CONSERVE pump + pumpca = (1e10)*shell*pump_total
  ~ ca << (-(ica - last_current)*diam*1e4/(2*FARADAY))
  ~ bound -> (0.0005*diam*shell)
  cai = ca
}
