: Where axial_flow sums, in each step anew.
NEURON {
  POINT_PROCESS section_flow
  RANGE sum, square
  POINTER of_cell
}
ASSIGNED {
  sum
  square
  of_cell
}
BEFORE INITIAL {
  sum = 0
  of_cell = 0
}
BEFORE BREAKPOINT {
  sum = 0
  of_cell = 0
}
BEFORE STEP {
  square = sum ^ 2 + exp(-2e-3 * of_cell)
}
