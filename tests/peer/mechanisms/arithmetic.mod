TITLE Current out of every built-in function and every way to write a number
: Constructs: exp, log, log10, sqrt, pow, sin, cos, tan, atan, atan2, asin, acos, sinh, cosh, tanh, floor, ceil, fabs,
: fmod, erf, gauss; ^ and its order, unit factors in parentheses, numbers with and without digits around the point,
: comparison operators <, <=, >, >=, ==, !=

NEURON {
  SUFFIX arithmetic
  NONSPECIFIC_CURRENT i
  RANGE g, i, powers, circles, hyperbolas, wholes, compared
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { g = 2.E-4 (S/cm2) }

ASSIGNED {
  v (mV)
  i (mA/cm2)
  powers
  circles
  hyperbolas
  wholes
  compared
}

BREAKPOINT {
  evaluate(v)
  i = g*(1 + 0.1*powers + .05*circles + 1e-1*hyperbolas + 0.001*wholes)*(v + 60 (mV)) + (1e-3)*0.2 (mA/cm2)
}

PROCEDURE evaluate(u (mV)) {
  LOCAL x
UNITSOFF
  x = (u + 100)/50
  powers = exp(-x) + log(1. + x*x) + log10(x*x + .5) + sqrt(x^2 + 1) + pow(1 + x^2, 0.3) - x^2*2 - -x/3 + 2^-x
  circles = sin(x) + cos(2*x) + tan(x/4) + atan(x) + atan2(x, 2) + asin(x/5) + acos(x/5)
  hyperbolas = sinh(x/3) + cosh(x/3) + tanh(x) + erf(x - 1) + gauss(x, 0.3, 2)
  wholes = floor(u/7) + ceil(u/11) + fabs(u) + fmod(u, 9)
  compared = (u < -60) + (u <= -55)*2 + (u > -50)*4 + (u >= -45)*8 + (u == 0)*16 + (u != 0)*32
UNITSON
}
