TITLE NMDA synapse: two time constants and the block by magnesium

COMMENT
Block: Jahr and Stevens 1990, J. Neurosci. 10:3178. The conductance rises with tau1 and falls with
tau2; without block its peak is the weight.
ENDCOMMENT

NEURON {
  POINT_PROCESS nmda
  RANGE tau1, tau2, e, mg, i, g
  NONSPECIFIC_CURRENT i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
  (mM) = (milli/liter)
}

PARAMETER {
  tau1 = 2 (ms) <1e-9, 1e9>
  tau2 = 80 (ms) <1e-9, 1e9>
  e = 0 (mV)
  mg = 1 (mM) <0, 1e9>
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
  peak_time = tau1*tau2/(tau2 - tau1)*log(tau2/tau1)
  factor = 1/(exp(-peak_time/tau2) - exp(-peak_time/tau1))
  A = 0
  B = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  g = (B - A)*unblocked(v)
  i = g*(v - e)
}

DERIVATIVE decay {
  A' = -A/tau1
  B' = -B/tau2
}

: the fraction of channels that magnesium leaves open
FUNCTION unblocked(v (mV)) {
  unblocked = 1/(1 + mg/3.57 (mM)*exp(-0.062 (/mV)*v))
}

NET_RECEIVE(weight (uS)) {
  A = A + weight*factor
  B = B + weight*factor
}
