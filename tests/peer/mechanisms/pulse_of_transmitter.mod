TITLE Synapse with a square pulse of transmitter that later spikes prolong
: Constructs: net_send and flag in a point process, flag values, if / else on flag, an argument as a counter, CONSTRUCTOR

NEURON {
  POINT_PROCESS pulse_of_transmitter
  NONSPECIFIC_CURRENT i
  RANGE gmax, e, width, opening, closing, i, present
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
}

PARAMETER {
  gmax = 0.01 (uS)
  e = -75 (mV)
  width = 1.5 (ms)
  opening = 0.7 (/ms)
  closing = 0.15 (/ms)
}

ASSIGNED {
  v (mV)
  i (nA)
  present
  fading
}

STATE { r }

CONSTRUCTOR {
VERBATIM
  if (ifarg(2)) { fading = *getarg(2); } else { fading = ifarg(3) ? *getarg(3) : 0.9; }
ENDVERBATIM
}

INITIAL {
  r = 0
  present = 0
}

BREAKPOINT {
  SOLVE binding METHOD cnexp
  i = gmax*r*(v - e)
}

DERIVATIVE binding { r' = opening*present*(1 - r) - closing*r }

NET_RECEIVE(weight, pending) {
  INITIAL { pending = 0 }
  if (flag == 0) {
    pending = pending + 1
    present = present + weight
    net_send(width, pending)
  } else if (flag == pending) {
    present = 0
    pending = 0
  } else {
    present = present*fading
  }
}
