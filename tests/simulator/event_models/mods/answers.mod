TITLE An artificial cell that counts, spikes, answers itself and moves what it awaits
NEURON {
  ARTIFICIAL_CELL answers
  RANGE m, pause, late, resting
}
PARAMETER {
  pause = 2 (ms)
  late = 0.3 (ms)
}
ASSIGNED { m resting }
INITIAL {
  m = 0
  resting = 0
  net_send(pause, 2)
}
NET_RECEIVE(w) {
  if (flag == 1) {
    resting = 0
    net_event(t)
  } else if (flag == 2) {
    m = m + 0.4
    net_send(pause, 2)
  } else {
    m = 0.5*m + w
  }
  if (m > 1 && resting == 0) {
    resting = 1
    m = 0
    net_event(t)
    net_send(late, 1)
  } else if (m > 0.8 && resting == 1) {
    net_move(t + late)
  }
}
