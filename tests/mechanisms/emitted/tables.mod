TITLE FUNCTION_TABLEs in all places that a derivative reaches

NEURON {
  SUFFIX tables
  NONSPECIFIC_CURRENT i
  RANGE i, seen
}

PARAMETER { warmth = 1.5 }

ASSIGNED {
  v (mV)
  i (mA/cm2)
  seen
}

STATE { m }

INITIAL {
  m = steady(v)
  seen = fixed(v, t, celsius)
}

BREAKPOINT {
  SOLVE gate METHOD cnexp
  i = m*steady(v)*lag(2*v, v/10 + warmth)
}

DERIVATIVE gate { m' = (steady(v) - m)/lag(v, warmth) }

FUNCTION_TABLE steady(v (mV))
FUNCTION_TABLE lag(v (mV), w) (ms)
FUNCTION_TABLE fixed(x, y, z)
