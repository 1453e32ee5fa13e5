TITLE A chain of concentrations as an array of states
: Constructs: STATE array stepped by a PROCEDURE, array ASSIGNED, FROM loops in INITIAL and PROCEDURE, DEFINE as an
: array's size, RANGE array, PROCEDURE called from BREAKPOINT

NEURON {
  SUFFIX array_of_states
  NONSPECIFIC_CURRENT i
  RANGE g, total, i, rate
}

DEFINE LINKS 4

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 5e-5 (S/cm2) }

ASSIGNED {
  v (mV)
  dt (ms)
  i (mA/cm2)
  total
  rate[LINKS] (/ms)
}

STATE { c[LINKS] }

INITIAL {
  FROM k = 0 TO LINKS - 1 {
    rate[k] = 2/(1 + k)
    c[k] = 0.1*k
  }
  add()
}

BREAKPOINT {
  SOLVE chain
  add()
  i = g*(1 + total)*(v + 60 (mV))
}

PROCEDURE chain() {
  LOCAL aim
  aim = 1/(1 + exp(-(v + 55 (mV))/10 (mV)))
  FROM k = 0 TO LINKS - 1 {
    c[k] = c[k] + (1 - exp(-rate[k]*dt))*(aim - c[k])
    aim = c[k]
  }
}

PROCEDURE add() {
  total = 0
  FROM k = 0 TO LINKS - 1 {
    total = total + (k + 1)*c[k]
  }
}
