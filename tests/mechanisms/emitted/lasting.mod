: What lasts from call to call: values of BREAKPOINT, parameters that change, a POINTER.
NEURON {
  SUFFIX lasting
  NONSPECIFIC_CURRENT i
  RANGE peak, gain, computed, begun, steps, solved
  POINTER other
}
PARAMETER {
  gain = 2
  computed = 5
}
ASSIGNED {
  v (mV) i (mA/cm2)
  other (mV)
  peak (mV)
  begun steps solved
}
BEFORE INITIAL { begun = 3 }
INITIAL {
  begun = begun*2
  peak = -1000
  steps = 0
  solved = 0
}
AFTER INITIAL { begun = begun + 1 }
BEFORE BREAKPOINT { computed = 2*gain }
BREAKPOINT {
  if (v > peak) { peak = v }
  i = 0.001*(v - other) + 0.002*(v - other)^2*computed
}
AFTER SOLVE {
  gain = gain + 1
  solved = solved + 1
  other = peak
}
BEFORE STEP { steps = steps + 10 }
