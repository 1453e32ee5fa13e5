TITLE A point that says itself when its cell spikes
: Constructs: net_event in NET_RECEIVE of a POINT_PROCESS, from a WATCH and from an event that it sent itself

NEURON {
  POINT_PROCESS fires
  RANGE drive, top, V, u
}

PARAMETER {
  drive = 8
  top = 30
}

STATE { V u }

INITIAL {
  V = -65
  u = 0.2*V
  net_send(0, 1)
}

BREAKPOINT { SOLVE states METHOD euler }

DERIVATIVE states {
  V' = 0.04*V*V + 5*V + 140 - u + drive
  u' = 0.02*(0.2*V - u)
}

NET_RECEIVE (w) {
  if (flag == 1) {
    WATCH (V > top) 2
  } else if (flag == 2) {
    net_event(t)
    V = -65
    u = u + 4
    net_send(1.37, 3)
  } else if (flag == 3) {
    net_event(t)
  } else {
    V = V + 100*w
  }
}
