TITLE A leak whose reversal potential is where INITIAL finds the voltage
: Constructs: INITIAL alone sets a PARAMETER without RANGE, of which NEURON has one for all places, an ASSIGNED variable
: that each place has, and one in RANGE; BREAKPOINT reads all three

NEURON {
  SUFFIX balanced_at_rest
  NONSPECIFIC_CURRENT i
  RANGE g, rest
}

PARAMETER {
  g = 1e-4 (S/cm2)
  last = 0 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  rest (mV)
  hidden (mV)
}

INITIAL {
  last = v
  rest = v + 1
  hidden = v - 1
}

BREAKPOINT {
  i = g*(3*v - last - rest - hidden)
}
