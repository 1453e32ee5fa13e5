TITLE Leak whose strength comes out of loops and branches
: Constructs: while, if / else if / else, nested FROM loops, array ASSIGNED, &&, ||, !, comparison operators,
: minus signs in front, powers, the fractions of fmod

NEURON {
  SUFFIX while_and_else
  NONSPECIFIC_CURRENT i
  RANGE g, e, i, strength, digits, halvings, weights
}

DEFINE N 3

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  g = 1e-4 (S/cm2)
  e = -60 (mV)
}

ASSIGNED {
  v (mV)
  i (mA/cm2)
  strength
  digits
  halvings
  weights[N]
}

INITIAL {
  FROM j = 0 TO N - 1 {
    weights[j] = 0
    FROM k = 0 TO j {
      weights[j] = weights[j] + (k + 1)^2/10
    }
  }
  branch(v)
}

BREAKPOINT {
  branch(v)
  i = g*strength*(v - e)
}

PROCEDURE branch(u (mV)) {
  LOCAL rest
UNITSOFF
  if (u < -70) {
    strength = weights[0] + 0.01*fabs(u + 70)
  } else if (u < -50 && !(u > -52)) {
    strength = weights[1]*(1 + 0.02*(u + 70))
  } else if (u >= -50 || u == -51) {
    strength = weights[2] - 0.3*exp(-(u + 50)^2/50)
  } else {
    strength = -(-1.2)
  }
  rest = fabs(u) + 1
  halvings = 0
  while (rest > 2) {
    rest = rest/2
    halvings = halvings + 1
  }
  digits = fmod(fabs(u), 10)
  strength = strength*(1 + 0.1*(rest - 1)) + 0.001*digits
UNITSON
}
