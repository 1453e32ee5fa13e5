TITLE Node of Ranvier of a mammalian motor axon: fast and persistent sodium, slow potassium and a leak

COMMENT
McIntyre, Richardson and Grill 2002, J. Neurophysiol. 87:995-1006, doi:10.1152/jn.00353.2001. Numbers are those of
the authors' own model (ModelDB 3810): rates of sodium are at 20 degC, of potassium at 36 degC.
ENDCOMMENT

NEURON {
  SUFFIX axnode
  USEION na READ ena WRITE ina
  USEION k READ ek WRITE ik
  NONSPECIFIC_CURRENT il
  RANGE gfast, gpersistent, gslow, gl, el, ina, ik, il
  THREADSAFE
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  gfast = 3 (S/cm2) <0, 1e9>
  gpersistent = 0.01 (S/cm2) <0, 1e9>
  gslow = 0.08 (S/cm2) <0, 1e9>
  gl = 0.007 (S/cm2) <0, 1e9>
  el = -90 (mV)
}

ASSIGNED {
  v (mV)
  celsius (degC)
  ena (mV)
  ek (mV)
  ina (mA/cm2)
  ik (mA/cm2)
  il (mA/cm2)
  faster_m
  faster_h
  faster_s
}

: m, h of the fast sodium current, p of the persistent one, s of potassium
STATE { m h p s }

INITIAL {
  faster_m = 2.2^((celsius - 20)/10)
  faster_h = 2.9^((celsius - 20)/10)
  faster_s = 3^((celsius - 36)/10)
  m = open_m(v)/(open_m(v) + shut_m(v))
  h = open_h(v)/(open_h(v) + shut_h(v))
  p = open_p(v)/(open_p(v) + shut_p(v))
  s = open_s(v)/(open_s(v) + shut_s(v))
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  ina = (gfast*m*m*m*h + gpersistent*p*p*p)*(v - ena)
  ik = gslow*s*(v - ek)
  il = gl*(v - el)
}

DERIVATIVE gates {
  m' = faster_m*(open_m(v)*(1 - m) - shut_m(v)*m)
  h' = faster_h*(open_h(v)*(1 - h) - shut_h(v)*h)
  p' = faster_m*(open_p(v)*(1 - p) - shut_p(v)*p)
  s' = faster_s*(open_s(v)*(1 - s) - shut_s(v)*s)
}

FUNCTION open_m(v (mV)) (/ms) { open_m = 1.86*rising(v + 21.4, 10.3) }
FUNCTION shut_m(v (mV)) (/ms) { shut_m = 0.086*rising(-(v + 25.7), 9.16) }
FUNCTION open_h(v (mV)) (/ms) { open_h = 0.062*rising(-(v + 114), 11) }
FUNCTION shut_h(v (mV)) (/ms) { shut_h = 2.3*logistic(v + 31.8, 13.4) }
FUNCTION open_p(v (mV)) (/ms) { open_p = 0.01*rising(v + 27, 10.2) }
FUNCTION shut_p(v (mV)) (/ms) { shut_p = 0.00025*rising(-(v + 34), 10) }
FUNCTION open_s(v (mV)) (/ms) { open_s = 0.3*logistic(v + 53, 5) }
FUNCTION shut_s(v (mV)) (/ms) { shut_s = 0.03*logistic(v + 90, 1) }

: x/(1 - exp(-x/k)), continued through x = 0
FUNCTION rising(x (mV), k (mV)) (mV) {
  if (fabs(x/k) < 1e-6) {
    rising = k + x/2
  } else {
    rising = x/(1 - exp(-x/k))
  }
}

FUNCTION logistic(x (mV), k (mV)) { logistic = 1/(1 + exp(-x/k)) }
