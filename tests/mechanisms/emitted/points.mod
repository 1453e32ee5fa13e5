TITLE What a point neuron may do: inputs of both signs, SOLVE under a condition, several spikes

NEURON {
  ARTIFICIAL_CELL points
  ELECTRODE_CURRENT i
  RANGE tau, gain, level, v, ended, before_solve, after_solve
}

PARAMETER {
  tau = 10 (ms) <1e-9, 1e9>
  gain = 2
  level = 1
}

ASSIGNED {
  i (nA)
  ended (ms)
  before_solve (mV)
  after_solve (mV)
  decay
  drive
  waits (ms)
}

STATE {
  v (mV)
  x
  heard[2]
}

INITIAL {
  v = 0.25
  x = 1
  waits = 0
  drive = 0
  decay = exp(-dt/tau)
}

BREAKPOINT {
  before_solve = v
  if (waits > 0) {
    waits = waits - dt
  } else {
    SOLVE membrane METHOD cnexp
    if (v > level) {
      net_event(t)
      waits = 3*dt
      v = 0
    } else if (v < -level) {
      net_event(t)
      v = -v
    }
  }
  SOLVE slow METHOD derivimplicit
  after_solve = v
  drive = drive*decay
  ended = t
}

DERIVATIVE membrane { v' = (drive + i - v)/tau }

DERIVATIVE slow { x' = -x*x/tau }

NET_RECEIVE(w (nA)) {
  heard[1] = heard[1] + w*part(0.5)
  if (w >= 0) {
    drive = drive + gain*w
  } else if (w < 0) {
    drive = 3*w/gain + drive
    heard[0] = heard[0] - w
  }
}

FUNCTION part(y) { part = y/gain }
