: A scheme of six states with a loop and a second order reaction, by each implicit method.
NEURON { SUFFIX channel }
STATE { c1 c2 c3 o1 o2 i1 pair single }
INITIAL {
  c1 = 1  c2 = 0  c3 = 0  o1 = 0  o2 = 0  i1 = 0
  pair = 0
  single = 2
}
BREAKPOINT {
  SOLVE scheme METHOD sparse
  SOLVE dimers METHOD sparse
}
KINETIC scheme {
  ~ c1 <-> c2 (3, 0.5)
  ~ c2 <-> c3 (2, 1)
  ~ c3 <-> o1 (1, 1.5)
  ~ o1 <-> o2 (0.3, 0.2)
  ~ o2 <-> i1 (0.4, 0.1)
  ~ i1 <-> c1 (0.05, 0.02)
  CONSERVE c1 + c2 + c3 + o1 + o2 + i1 = 1
}
KINETIC dimers {
  ~ single + single <-> pair (0.6, 0.1)
}
