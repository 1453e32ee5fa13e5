TITLE Sodium that gathers inside, by what all channels and pumps let through
: Constructs: READ of the total current of an ion that other mechanisms write, WRITE nai, nernst on sodium

NEURON {
  SUFFIX sodium_gatherer
  USEION na READ ina, ena WRITE nai
  RANGE surface, seen
}

UNITS {
  (mA) = (milliamp)
  (mV) = (millivolt)
  (mM) = (milli/liter)
  (um) = (micron)
  FARADAY = (faraday) (coulomb)
}

PARAMETER { surface = 40 (/um) }

ASSIGNED {
  ina (mA/cm2)
  ena (mV)
  seen (mV)
}

STATE { nai (mM) }

INITIAL {
  nai = 10
  seen = ena
}

BREAKPOINT {
  SOLVE gather METHOD cnexp
  seen = ena
}

DERIVATIVE gather { nai' = -(1e4)*ina*surface/FARADAY }
