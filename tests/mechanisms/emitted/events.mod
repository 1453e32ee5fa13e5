TITLE Everything that NET_RECEIVE may hold, one construct a flag

NEURON {
  POINT_PROCESS events
  NONSPECIFIC_CURRENT i
  RANGE level, wait, seen, sum, i
}

PARAMETER {
  level = -50 (mV)
  wait = 3 (ms)
}

ASSIGNED {
  v (mV)
  i (nA)
  seen
  sum
}

INITIAL {
  seen = 0
  sum = 0
  if (wait > 0) {
    net_send(wait, 7)
  }
}

BREAKPOINT { i = 0 }

NET_RECEIVE(weight, count, last (ms)) {
  INITIAL {
    count = 10
    last = t
  }
  if (flag == 0) {
    count = count + 1
    seen = weight*count + last
    last = t
  } else if (flag == 1) {
    WATCH (v > level) 20
    WATCH (v < half(level)) 30 + weight
  } else if (flag == 2) {
    net_move(t + 2*wait)
  } else if (flag == 3) {
    net_event(t)
    net_send(0, 4)
  } else {
    sum = 0
    FOR_NETCONS(w, c, l) {
      sum = sum + w*c
      w = 2*w
    }
  }
}

FUNCTION half(x (mV)) (mV) {
  half = x/2 - 40
}
