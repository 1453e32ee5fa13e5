TITLE Potassium whose reversal potential this file computes by itself
: Constructs: USEION WRITE of a reversal potential that another mechanism reads, BREAKPOINT without a current
: (it runs with the states, at the step's end: the currents of the next step see what it wrote), READ of ki and ko

NEURON {
  SUFFIX computes_a_reversal
  USEION k READ ki, ko WRITE ek
  RANGE offset
}

UNITS {
  (mV) = (millivolt)
  (mM) = (milli/liter)
}

PARAMETER { offset = 4 (mV) }

ASSIGNED {
  v (mV)
  celsius (degC)
  ki (mM)
  ko (mM)
  ek (mV)
}

INITIAL { ek = 0.0862 (mV/degC)*(celsius + 273.15 (degC))*log(ko/ki) + offset }

BREAKPOINT { ek = 0.0862 (mV/degC)*(celsius + 273.15 (degC))*log(ko/ki) + offset + 0.05*(v + 65 (mV)) }
