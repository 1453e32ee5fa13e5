TITLE A cell that sends every event on as a spike

COMMENT
A node of a network that only says when it spikes: its spikes are those of a stimulus.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL relay
}

NET_RECEIVE(weight) {
  net_event(t)
}
