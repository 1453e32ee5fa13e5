TITLE voltage clamp through a series resistance

COMMENT
On from start to stop. A clamp of several levels is as many instances at one place. The current
that is reported at the end of a step is that of the voltage which the step led to.
ENDCOMMENT

NEURON {
  POINT_PROCESS seclamp
  ELECTRODE_CURRENT i
  RANGE level, rs, start, stop, i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (MOhm) = (megohm)
  (uS) = (microsiemens)
}

PARAMETER {
  level = 0 (mV)
  rs = 1 (MOhm) <1e-12, 1e300>
  start = 0 (ms)
  stop = 0 (ms)
}

ASSIGNED {
  v (mV)
  i (nA)
  g (uS)
}

INITIAL {
  close()
  i = g*(level - v)
}

BREAKPOINT {
  SOLVE end_of_step METHOD after_cvode
  close()
  i = g*(level - v)
}

PROCEDURE close() {
  g = 0
  if (t >= start && t < stop) {
    g = 1/rs
  }
}

PROCEDURE end_of_step() {
  i = g*(level - v)
}
