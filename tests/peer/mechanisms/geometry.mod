TITLE Leak that knows the size of its compartment and the time
: Constructs: area and diam in a density mechanism, t in BREAKPOINT, dt in BREAKPOINT

NEURON {
  SUFFIX geometry
  NONSPECIFIC_CURRENT i
  RANGE g, i, seen_area, seen_diam, seen_t
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
  (um) = (micron)
}

PARAMETER { g = 1e-4 (S/cm2) }

ASSIGNED {
  v (mV)
  area (um2)
  diam (um)
  dt (ms)
  i (mA/cm2)
  seen_area (um2)
  seen_diam (um)
  seen_t (ms)
}

BREAKPOINT {
  seen_area = area
  seen_diam = diam
  seen_t = t
  i = g*(1 + 0.5*sin(0.2 (/ms)*t))*diam*1000 (um)/area*(v + 55 (mV)) + 0.0001 (mA/cm2/ms)*dt
}
