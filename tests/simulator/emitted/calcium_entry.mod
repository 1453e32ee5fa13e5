TITLE A current of calcium that flows in at a point

NEURON {
  POINT_PROCESS calcium_entry
  USEION ca WRITE ica
  RANGE amount, ica
}

UNITS {
  (nA) = (nanoamp)
}

PARAMETER {
  amount = 0.01 (nA)
}

ASSIGNED {
  ica (nA)
}

BREAKPOINT {
  ica = -amount
}
