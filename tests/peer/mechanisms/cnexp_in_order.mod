TITLE A cascade of three linear states, each of which sees the one before it
: Constructs: cnexp of equations that hold other states: they are stepped in the order in which they stand, and each
: sees the new value of those before it and the old value of those behind it; LOCAL and if in DERIVATIVE

NEURON {
  SUFFIX cnexp_in_order
  NONSPECIFIC_CURRENT i
  RANGE g, i
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 3e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  i (mA/cm2)
}

STATE { first second third }

INITIAL {
  first = 0.2
  second = 0.1
  third = 0.6
}

BREAKPOINT {
  SOLVE cascade METHOD cnexp
  i = g*second*third*(v + 10 (mV))
}

DERIVATIVE cascade {
  LOCAL aim, speed
  aim = 1/(1 + exp(-(v + 50 (mV))/8 (mV)))
  speed = 0.5
  if (v > -40 (mV)) {
    speed = 1.5
  }
  first' = speed*(aim - first) + 0.05*third
  second' = (first - second)/3 (ms)
  third' = 0.2 - 0.4*second*third
}
