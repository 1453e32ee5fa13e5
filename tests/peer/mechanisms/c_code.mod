TITLE A leak whose gate, counts and factors are computed by C code
: Constructs: VERBATIM with declarations, ints and casts, for, while, do, break, continue, switch, return from the middle of
: FUNCTION and PROCEDURE, ?:, nocmodl's names of LOCALs, arguments and FROM's index, nrn_ghk, code that is not run

NEURON {
  SUFFIX c_code
  USEION k READ ek WRITE ik
  RANGE gbar, n, turns, cut, parts, total, side, ghk, sums
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 0.003 (S/cm2) }

ASSIGNED {
  v (mV)
  dt (ms)
  ek (mV)
  ik (mA/cm2)
  turns
  cut
  total
  side
  ghk
  parts[4]
  sums
}

STATE { n }

VERBATIM
#include <math.h>
extern double nrn_ghk(double v, double inside, double outside, double z);
#ifndef SQUARED
#define SQUARED(a) ((a)*(a))
#endif
static int unused(int k) { return k*k; }
void idle() { /* nothing */ }
static const char id[] = "$Id: c_code // $";
ENDVERBATIM

INITIAL {
  turns = 0
  n = steady(v)
  fill()
VERBATIM
  if (turns < 0) {
    printf("%g %s", turns, "never");
    fprintf(stderr, "%d\n", (int)turns);
  }
ENDVERBATIM
}

BREAKPOINT {
  SOLVE advance
  ik = gbar*n*(total + sums/10)*(v - ek)
VERBATIM
  idle();
  ghk = nrn_ghk(v, 5.e-5, 2., 2); /* of calcium */
  side = v > -65 ? (v > -58 ? 2. : 1.) : -M_PI;
ENDVERBATIM
}

FUNCTION steady(u (mV)) {
VERBATIM
  double x = (_lu + 40)/9.;
  if (x > 50) return 1.;
  else if (x < -50)
    return 0;
ENDVERBATIM
  steady = 1
VERBATIM
  _lsteady /= 1 + exp(-x);
ENDVERBATIM
}

: The mean of what is between, found by C's way of dividing
FUNCTION digits(number) {
  LOCAL sum
  sum = 0
VERBATIM
  int left = (int)(100*_lnumber), digit, rounds = 0;
  if (left < 0) left = -left;
  do {
    digit = left % 10;
    left /= 10;
    if (digit == 3) continue;
    ++rounds;
    if (rounds > 9) break;
    _lsum += digit;
  } while (left > 0);
  return _lsum + 1/2 + 7/2 + 7/2. + (-7)/2;
ENDVERBATIM
}

PROCEDURE advance() {
  turns = turns + 1
VERBATIM
  n += (1 - exp(-dt/4))*(steady(v) - n);
  cut = digits(v);
  fill();
  return 0;
ENDVERBATIM
  turns = -1
}

PROCEDURE fill() {
  LOCAL scale
  scale = 0.25
  FROM k = 0 TO 3 {
VERBATIM
    parts[_lk] = (_lk + 1)/2*_lscale;
    switch (_lk) {
    case 0:
      break;
    case 1:
    case 2:
      parts[_lk] += n;
      break;
    default:
      parts[_lk] -= n;
    }
ENDVERBATIM
  }
VERBATIM
  int i;
  total = sums = 0;
  for (i = 0; i < 4; i++) {
    double by = parts[i];
    if (by < 0) continue;
    total += by;
    if (total > 1) {
      break;
    }
    sums++;
  }
  while (!(total <= 1)) total = total/2;
  if (total > 0.7) return 0;
  total = total + 0.1;
ENDVERBATIM
  sums = sums + 0.5
}

PROCEDURE seed() {
VERBATIM
  double* place = &n;
  *place = unused(3);
ENDVERBATIM
}
