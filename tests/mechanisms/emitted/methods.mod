: One relaxation by each method of integration.
NEURON {
  SUFFIX methods
  NONSPECIFIC_CURRENT i
  RANGE k, squared_before
}
PARAMETER { k = 0.8 (/ms) }
ASSIGNED { v (mV) i (mA/cm2) squared_before }
STATE { by_cnexp by_euler by_implicit squared by_runge along_time by_default }
INITIAL {
  by_cnexp = 1
  by_euler = 1
  by_implicit = 1
  squared = 1
  by_runge = 1
  along_time = 0
  by_default = 1
}
BREAKPOINT {
  SOLVE remember
  SOLVE exactly METHOD cnexp
  SOLVE forward METHOD euler
  SOLVE backward METHOD derivimplicit
  SOLVE fourth METHOD runge
  SOLVE unnamed
  i = 0
}
PROCEDURE remember() { squared_before = squared }
DERIVATIVE exactly { by_cnexp' = -k*by_cnexp }
DERIVATIVE forward { by_euler' = -k*by_euler }
DERIVATIVE backward {
  by_implicit' = -k*by_implicit
  squared' = -squared*squared
}
DERIVATIVE fourth {
  by_runge' = -k*by_runge
  along_time' = 4*t*t*t
}
DERIVATIVE unnamed { by_default' = -k*by_default }
