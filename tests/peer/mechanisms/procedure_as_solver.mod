TITLE Gates advanced by a procedure that takes its own exponential steps
: Constructs: SOLVE of a PROCEDURE, dt, VERBATIM with return 0 alone, INDEPENDENT, GLOBAL that the file assigns,
: top-level LOCAL that the file assigns

NEURON {
  SUFFIX procedure_as_solver
  USEION k READ ek WRITE ik
  RANGE gbar, ninf
  GLOBAL nstep, half
}

INDEPENDENT { t FROM 0 TO 1 WITH 1 (ms) }

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gbar = 0.004 (S/cm2)
  half = -40 (mV)
  dt (ms)
}

ASSIGNED {
  v (mV)
  ek (mV)
  ik (mA/cm2)
  ninf
  nstep
}

STATE { n l }

LOCAL lstep

INITIAL {
  rates(v)
  n = ninf
  l = 1 - ninf
}

BREAKPOINT {
  SOLVE advance
  ik = gbar*n*n*l*(v - ek)
}

PROCEDURE advance() {
  rates(v)
  n = n + nstep*(ninf - n)
  l = l + lstep*(1/(1 + exp((v + 50 (mV))/6 (mV))) - l)
VERBATIM
  return 0;
ENDVERBATIM
}

PROCEDURE rates(u (mV)) {
  LOCAL slow
  slow = 4 + 20*exp(-((u + 50 (mV))/30 (mV))^2)
  ninf = 1/(1 + exp(-(u - half)/9 (mV)))
  nstep = 1 - exp(-dt/(slow*0.2 (ms)))
  lstep = 1 - exp(-dt/(slow*1 (ms)))
}
