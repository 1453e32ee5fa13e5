TITLE Voltage clamp that is an electrode with a conductance
: Constructs: ELECTRODE_CURRENT that depends on v, at_time inside a condition

NEURON {
  POINT_PROCESS clamp_behind_a_resistance
  ELECTRODE_CURRENT i
  RANGE rs, command, begin, i
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (MOhm) = (megohm)
}

PARAMETER {
  rs = 50 (MOhm) <1e-9, 1e9>
  command = -30 (mV)
  begin = 10 (ms)
}

ASSIGNED {
  v (mV)
  i (nA)
}

BREAKPOINT {
  if (at_time(begin)) {
    i = 0
  }
  if (t < begin) {
    i = 0
  } else {
    i = (command + 10*sin(0.5 (/ms)*t) - v)/rs
  }
}
