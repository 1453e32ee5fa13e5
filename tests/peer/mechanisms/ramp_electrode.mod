TITLE Electrode with a ramp and a sine, on from begin to finish
: Constructs: ELECTRODE_CURRENT, at_time, explicit t, after_cvode, PROCEDURE without arguments, area in a point process

NEURON {
  POINT_PROCESS ramp_electrode
  ELECTRODE_CURRENT i
  RANGE begin, finish, slope, i, on, charge
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (um) = (micron)
}

PARAMETER {
  begin = 5 (ms)
  finish = 35 (ms)
  slope = 0.004 (nA/ms)
}

ASSIGNED {
  v (mV)
  area (um2)
  dt (ms)
  i (nA)
  on
  charge (nA-ms)
}

INITIAL {
  on = 0
  charge = 0
}

BREAKPOINT {
  SOLVE count METHOD after_cvode
  at_time(begin)
  at_time(finish)
  if (t >= begin && t < finish) {
    on = 1
  } else {
    on = 0
  }
  i = on*(slope*(t - begin) + 0.02*sin(t*0.7 (/ms)))*area/1000 (um2)
}

PROCEDURE count() {
  charge = charge + i*dt
}
