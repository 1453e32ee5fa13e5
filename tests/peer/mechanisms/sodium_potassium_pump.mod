TITLE Pump that moves three sodium ions out and two potassium ions in
: Constructs: several USEION in one mechanism, WRITE of two ion currents and a NONSPECIFIC_CURRENT, READ of nai
: and ko, RANGE of what is not a parameter

NEURON {
  SUFFIX sodium_potassium_pump
  USEION na READ nai WRITE ina
  USEION k READ ko WRITE ik
  NONSPECIFIC_CURRENT il
  RANGE imax, turnover, il
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (mM) = (milli/liter)
}

PARAMETER { imax = 2e-3 (mA/cm2) <0, 1> }

ASSIGNED {
  v (mV)
  nai (mM)
  ko (mM)
  ina (mA/cm2)
  ik (mA/cm2)
  il (mA/cm2)
  turnover (mA/cm2)
}

BREAKPOINT {
  turnover = imax/((1 + 10 (mM)/nai)^3*(1 + 2 (mM)/ko)^2)/(1 + 0.3*exp(-(v + 65 (mV))/60 (mV)))
  ina = 3*turnover
  ik = -2*turnover
  il = 1e-5 (mA/cm2/mV)*(v + 62 (mV))
}
