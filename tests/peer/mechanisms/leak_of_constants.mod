TITLE Leak put together from a CONSTANT block, a DEFINE and UNITSOFF
: Constructs: SUFFIX, NONSPECIFIC_CURRENT, PARAMETER with limits, CONSTANT, DEFINE, UNITS, UNITSOFF/ON, LOCAL

NEURON {
  SUFFIX leak_of_constants
  NONSPECIFIC_CURRENT i
  RANGE g, e, i, shifted
}

DEFINE TWICE 2

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

CONSTANT {
  shift = 3.5 (mV)
  scale = 0.75
}

PARAMETER {
  g = 2e-4 (S/cm2) <0, 1>
  e = -60 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  shifted (mV)
}

BREAKPOINT {
  LOCAL distance, factor
  shifted = e + TWICE*shift
  distance = v - shifted
UNITSOFF
  factor = scale*(1 + 0.1*fabs(distance)/(20 + fabs(distance)))
UNITSON
  i = g*factor*distance
}
