TITLE Sodium inside, which currents bring in, a pump removes and which spreads along the cable
: Constructs: LONGITUDINAL_DIFFUSION of a STATE that is an ion's concentration

NEURON {
  SUFFIX sodium_spreads
  USEION na READ ina, nai WRITE nai
  RANGE D, rate
}

UNITS {
  (mM) = (milli/liter)
  (um) = (micron)
  (mA) = (milliamp)
  FARADAY = (faraday) (10000 coulomb)
  PI = (pi) (1)
}

PARAMETER {
  D = 0.6 (um2/ms)
  rate = 0.001 (/ms)
  rest = 10 (mM)
}

ASSIGNED {
  diam (um)
  ina (mA/cm2)
}

STATE { nai (mM) }

BREAKPOINT { SOLVE spread METHOD sparse }

KINETIC spread {
  COMPARTMENT PI*diam*diam/4 {nai}
  LONGITUDINAL_DIFFUSION D*PI*diam*diam/4 {nai}
  ~ nai << (-ina*PI*diam/FARADAY + rate*(rest - nai)*PI*diam*diam/4)
}
