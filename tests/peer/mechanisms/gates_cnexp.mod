TITLE Potassium channel with three gates: exact exponential steps
: Constructs: USEION READ/WRITE, SOLVE cnexp, DERIVATIVE, FUNCTION, PROCEDURE, celsius, THREADSAFE, one gate
: per rate form (infinity and tau, opening and closing, rate with a constant inflow)

NEURON {
  SUFFIX gates_cnexp
  USEION k READ ek WRITE ik
  RANGE gbar, g, ninf, ntau
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 5e-3 (S/cm2) <0, 1> }

ASSIGNED {
  v (mV)
  celsius (degC)
  ek (mV)
  ik (mA/cm2)
  g (S/cm2)
  ninf
  ntau (ms)
}

STATE { n p q }

INITIAL {
  rates(v)
  n = ninf
  p = opening(v)/(opening(v) + closing(v))
  q = 0.2
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  g = gbar*n^4*(0.5 + 0.5*p)*q
  ik = g*(v - ek)
}

DERIVATIVE gates {
  rates(v)
  n' = (ninf - n)/ntau
  p' = opening(v)*(1 - p) - closing(v)*p
  q' = 0.01 - 0.02*q
}

PROCEDURE rates(u (mV)) {
UNITSOFF
  ninf = 1/(1 + exp(-(u + 35)/9))
  ntau = (0.8 + 6/(1 + exp((u + 45)/12)))*3^((20 - celsius)/10)
UNITSON
}

FUNCTION opening(u (mV)) (/ms) {
UNITSOFF
  opening = 0.05*exp((u + 40)/25)
UNITSON
}

FUNCTION closing(u (mV)) (/ms) {
UNITSOFF
  closing = 0.03*exp(-(u + 40)/30)
UNITSON
}
