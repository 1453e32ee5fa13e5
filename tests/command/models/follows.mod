: A leak that follows the voltage of `lag` steps ago: an array that a run indexes, in every compartment.
NEURON {
  SUFFIX follows
  NONSPECIFIC_CURRENT i
  RANGE lag, g, seen
}
UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}
DEFINE N 100
PARAMETER {
  lag = 40
  g = 1e-4 (S/cm2)
}
ASSIGNED {
  v (mV)
  i (mA/cm2)
  then[N] (mV)
  place
  seen (mV)
}
INITIAL {
  place = 0
  FROM k = 0 TO N - 1 { then[k] = v }
  seen = v
}
BREAKPOINT {
  SOLVE follow METHOD after_cvode
  i = g*(v - seen)
}
PROCEDURE follow() {
  then[place] = v
  place = place + 1
  if (place == N) { place = 0 }
  if (place >= lag) {
    seen = then[place - lag]
  } else {
    seen = then[place + N - lag]
  }
}
