TITLE synapse: conductance rises with tau1 and falls with tau2, peak equal to the weight

NEURON {
  POINT_PROCESS exp2syn
  RANGE tau1, tau2, e, i, g
  NONSPECIFIC_CURRENT i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  tau1 = 0.1 (ms) <1e-9, 1e9>
  tau2 = 10 (ms) <1e-9, 1e9>
  e = 0 (mV)
}

ASSIGNED {
  v (mV)
  i (nA)
  g (uS)
  factor
}

STATE {
  A (uS)
  B (uS)
}

INITIAL {
  LOCAL peak_time
  : the rise must be faster than the fall, however little
  if (tau1/tau2 > 0.9999) {
    tau1 = 0.9999*tau2
  }
  : B - A of a unit jump peaks at peak_time; factor makes that peak the weight
  peak_time = tau1*tau2/(tau2 - tau1)*log(tau2/tau1)
  factor = 1/(exp(-peak_time/tau2) - exp(-peak_time/tau1))
  A = 0
  B = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  g = B - A
  i = g*(v - e)
}

DERIVATIVE decay {
  A' = -A/tau1
  B' = -B/tau2
}

NET_RECEIVE(weight (uS)) {
  A = A + weight*factor
  B = B + weight*factor
}
