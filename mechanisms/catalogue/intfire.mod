TITLE Leaky integrate-and-fire cell that lives on events alone

COMMENT
Lapicque 1907, J. Physiol. Pathol. Gen. 9:620. The membrane is one number, m: an event adds its
weight, and in between m decays towards 0 with tau. When m exceeds 1 the cell spikes; then m rests
at 0, deaf to events, for the time refrac.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL intfire
  RANGE tau, refrac, m
}

PARAMETER {
  tau = 10 (ms) <1e-9, 1e9>
  refrac = 5 (ms) <0, 1e9>
}

ASSIGNED {
  m
  last (ms)
  deaf
}

INITIAL {
  m = 0
  last = 0
  deaf = 0
}

NET_RECEIVE(weight) {
  if (flag == 1) {
    deaf = 0
    last = t
  } else if (deaf == 0) {
    m = m*exp(-(t - last)/tau) + weight
    last = t
    if (m > 1) {
      m = 0
      deaf = 1
      net_event(t)
      net_send(refrac, 1)
    }
  }
}
