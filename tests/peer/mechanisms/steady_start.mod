TITLE A loop of three states that starts in equilibrium at its own voltage
: Constructs: SOLVE STEADYSTATE sparse of a loop of reactions, FUNCTION in a rate, FUNCTION that assigns its value twice,
: GLOBAL parameter, STATE with an absolute tolerance

NEURON {
  SUFFIX steady_start
  NONSPECIFIC_CURRENT i
  RANGE gbar, i
  GLOBAL speed
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 1e-3 (S/cm2)
  speed = 0.5 (/ms)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

STATE { rest <1e-6> active <1e-6> tired <1e-6> }

INITIAL {
  rest = 1
  active = 0
  tired = 0
  SOLVE loop STEADYSTATE sparse
}

BREAKPOINT {
  SOLVE loop METHOD sparse
  i = gbar*active*(v - 10 (mV))
}

KINETIC loop {
  ~ rest <-> active (speed*bounded(v, -45, 8), speed*bounded(v, -60, -9))
  ~ active <-> tired (0.2*speed, 0.05*speed)
  ~ tired <-> rest (0.1*speed*bounded(v, -65, -8), 0.01*speed)
  CONSERVE rest + active + tired = 1
}

FUNCTION bounded(v (mV), middle (mV), slope (mV)) {
  bounded = 1/(1 + exp(-(v - middle)/slope))
  if (bounded < 0.01) {
    bounded = 0.01
  }
}
