: What flows to the end of a section, on top of what axial_flow sums there.
NEURON {
  POINT_PROCESS end_flow
  RANGE sum
  POINTER beside
}
ASSIGNED {
  v (mV)
  beside (mV)
  sum
}
BEFORE INITIAL {
  sum = 0
}
BEFORE BREAKPOINT {
  sum = 0
}
AFTER SOLVE {
  sum = sum + (beside - v) * 1e-4
}
