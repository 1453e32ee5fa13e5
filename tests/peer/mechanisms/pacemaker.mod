TITLE Cell that fires by itself and that arrivals hasten
: Constructs: ARTIFICIAL_CELL, net_send from INITIAL, net_move, net_event, while inside NET_RECEIVE

NEURON {
  ARTIFICIAL_CELL pacemaker
  RANGE period, hasten, fired, due
}

PARAMETER {
  period = 9 (ms)
  hasten = 0.5
}

ASSIGNED {
  due (ms)
  fired
}

INITIAL {
  fired = 0
  due = period
  net_send(period, 1)
}

NET_RECEIVE(w) {
  if (flag == 1) {
    fired = fired + 1
    net_event(t)
    due = t + period
    net_send(period, 1)
  } else {
    due = t + (due - t)*hasten*w
    while (due < t + 0.5) {
      due = due + 0.25
    }
    net_move(due)
  }
}
