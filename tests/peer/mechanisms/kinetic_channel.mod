TITLE Sodium channel of four states
: Constructs: KINETIC, CONSERVE, SOLVE sparse, SOLVE STEADYSTATE sparse in INITIAL, reactions <->, a STATE that
: BREAKPOINT sums up

NEURON {
  SUFFIX kinetic_channel
  USEION na READ ena WRITE ina
  RANGE gbar, g
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 0.02 (S/cm2) }

ASSIGNED {
  v (mV)
  ena (mV)
  ina (mA/cm2)
  g (S/cm2)
  up (/ms)
  down (/ms)
}

STATE { c1 c2 o b closed }

INITIAL { SOLVE scheme STEADYSTATE sparse }

BREAKPOINT {
  SOLVE scheme METHOD sparse
  g = gbar*o
  ina = g*(v - ena)
  closed = c1 + c2
}

KINETIC scheme {
  rates(v)
  ~ c1 <-> c2 (2*up, down)
  ~ c2 <-> o (up, 2*down)
  ~ o <-> b (0.4, 0.02)
  CONSERVE c1 + c2 + o + b = 1
}

PROCEDURE rates(u (mV)) {
UNITSOFF
  up = 1.5/(1 + exp(-(u + 40)/8))
  down = 0.8/(1 + exp((u + 55)/10))
UNITSON
}
