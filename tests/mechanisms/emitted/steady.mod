: SOLVE in INITIAL stands where it stands; a block that limits its own state.
NEURON {
  SUFFIX steady
  RANGE before, after, lowest, drive, on
}
PARAMETER {
  lowest = 0.5
  drive = 0
  on = 1
}
STATE { open closed pool faded given }
ASSIGNED { before after }
INITIAL {
  open = 0.25
  closed = 0.75
  pool = 2
  faded = 1
  given = 1
  before = open
  if (on > 0) {
    SOLVE scheme STEADYSTATE sparse
  }
  after = open
}
BREAKPOINT {
  SOLVE pooling METHOD derivimplicit
  SOLVE fading METHOD cnexp
  SOLVE giving METHOD cnexp
}
KINETIC scheme {
  ~ closed <-> open (0.3, 0.2)
  CONSERVE closed + open = 1
}
DERIVATIVE pooling {
  pool' = drive - pool/4
  if (pool < lowest) { pool = lowest }
}
DERIVATIVE fading {
  faded' = -faded*faded
}
DERIVATIVE giving {
  given' = -square(given)
}
FUNCTION square(x) {
  if (x > 0) { square = x*x } else { square = 0 }
}
