: What flows along a section from a neighbour, summed by section and by cell.
NEURON {
  SUFFIX axial_flow
  RANGE ri, length, i
  GLOBAL scale
  POINTER beside, of_section, of_cell
}
PARAMETER {
  ri = 10
  length = 1
  scale = 1e-3
}
ASSIGNED {
  v (mV)
  beside (mV)
  i (nA)
  of_section
  of_cell
}
AFTER INITIAL {
  i = (beside - v) / ri
  of_section = of_section + i * length * scale
  of_cell = of_cell + i * length * scale
}
AFTER SOLVE {
  i = (beside - v) / ri
  of_section = of_section + i * length * scale
  of_cell = of_cell + i * length * scale
}
