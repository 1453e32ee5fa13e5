TITLE Gate whose step has a table, as older files have it
: Constructs: TABLE of a PROCEDURE that assigns more than it tabulates, that calls a FUNCTION with a table of its own,
: and that DEPENDs on dt; limits that parameters set; an argument beyond the ends

NEURON {
  SUFFIX table_of_factors
  NONSPECIFIC_CURRENT i
  RANGE gbar, i, scaled
  GLOBAL low, high, speed
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 0.0004 (S/cm2)
  low = -74 (mV)
  high = -30 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  celsius (degC)
  dt (ms)
  inf
  part
  speed
  scaled
}

STATE { n }

INITIAL {
  rates(v)
  n = inf
  scaled = speed
}

BREAKPOINT {
  SOLVE advance
  scaled = speed*n
  i = gbar*n*(v + 80)
}

PROCEDURE advance() {
  rates(v)
  n = n + part*(inf - n)
}

PROCEDURE rates(v (mV)) {
  TABLE inf, part DEPEND dt, celsius, low, high FROM low TO high WITH 11
  speed = 2.3^((celsius - 24)/10)
  inf = 1/(1 + exp(-(v + 50)/6))
  part = 1 - exp(-dt*speed/lag(v))
}

FUNCTION lag(v (mV)) (ms) {
  TABLE FROM -90 TO 10 WITH 25
  lag = 1 + 6*exp(-((v + 45)/30)^2)
}
