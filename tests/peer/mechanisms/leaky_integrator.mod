TITLE Integrate-and-fire cell without a membrane in the simulation
: Constructs: ARTIFICIAL_CELL, net_event, refractory time by net_send and flag, FUNCTION called from NET_RECEIVE

NEURON {
  ARTIFICIAL_CELL leaky_integrator
  RANGE tau, refractory, m, fired
}

PARAMETER {
  tau = 10 (ms) <1e-9, 1e9>
  refractory = 5 (ms) <0, 1e9>
}

ASSIGNED {
  m
  t0 (ms)
  resting
  fired
}

INITIAL {
  m = 0
  t0 = 0
  resting = 1
  fired = 0
}

FUNCTION faded() {
  faded = m*exp(-(t - t0)/tau)
}

NET_RECEIVE(w) {
  if (flag == 0) {
    if (resting == 1) {
      m = faded() + w
      t0 = t
      if (m > 1) {
        resting = 0
        m = 2
        fired = fired + 1
        net_event(t)
        net_send(refractory, 1)
      }
    }
  } else {
    m = 0
    t0 = t
    resting = 1
  }
}
