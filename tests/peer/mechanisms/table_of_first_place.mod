TITLE Gate whose table is made with what differs from place to place
: Constructs: TABLE that DEPENDs on a RANGE parameter, of which NEURON takes the first instance's

NEURON {
  SUFFIX table_of_first_place
  NONSPECIFIC_CURRENT i
  RANGE gbar, i, shift, steepness
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 0.0004 (S/cm2)
  shift = 0 (mV)
  steepness = 6 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  inf
  lag (ms)
}

STATE { n }

INITIAL {
  rates(v)
  n = inf
}

BREAKPOINT {
  SOLVE gate METHOD cnexp
  i = gbar*n*(v + 80)
}

DERIVATIVE gate {
  rates(v)
  n' = (inf - n)/lag
}

PROCEDURE rates(v (mV)) {
  TABLE inf, lag DEPEND shift, steepness FROM -100 TO 50 WITH 60
  inf = half(v)
  lag = 1 + 6*exp(-((v - shift + 45)/30)^2)
}

FUNCTION half(v (mV)) { half = 1/(1 + exp(-(v - shift + 50)/steepness)) }
