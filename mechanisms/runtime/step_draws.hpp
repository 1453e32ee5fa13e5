#pragma once
// Random numbers of stimuli that draw afresh in every step: a function of seed, stimulus, cell and
// step, the same on host and device. Philox4x32-10 (core/philox.hpp), key: the seed, counter: cell,
// stimulus and step.

#include "core/philox.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// In the open interval (0, 1). cell: below 2^48; stimulus: below 2^16.
HILLOCK_FUNCTION double step_uniform(unsigned long long seed, unsigned stimulus,
                                     unsigned long long cell, unsigned long long step) {
  const PhiloxWords<unsigned> words = philox<unsigned>(
      {{static_cast<unsigned>(cell), static_cast<unsigned>(cell >> 32) | stimulus << 16,
        static_cast<unsigned>(step), static_cast<unsigned>(step >> 32)}},
      static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  return unit_interval(words.word[0], words.word[1]);
}

/// (c[0] + c[1] x + …) / (d[0] + d[1] x + …), both of degree 7. Written out, so that a loop over x
/// has no loop within.
HILLOCK_FUNCTION double ratio_of_degree_7(const double (&c)[8], const double (&d)[8], double x) {
  double above = c[7], below = d[7];
  above = fma(above, x, c[6]), below = fma(below, x, d[6]);
  above = fma(above, x, c[5]), below = fma(below, x, d[5]);
  above = fma(above, x, c[4]), below = fma(below, x, d[4]);
  above = fma(above, x, c[3]), below = fma(below, x, d[3]);
  above = fma(above, x, c[2]), below = fma(below, x, d[2]);
  above = fma(above, x, c[1]), below = fma(below, x, d[1]);
  above = fma(above, x, c[0]), below = fma(below, x, d[0]);
  return above / below;
}

/// Where normal_quantile(0.5 + q) is near_normal_quantile(q).
HILLOCK_FUNCTION bool is_near(double q) {
  return q * q <= 0.425 * 0.425;
}
HILLOCK_FUNCTION double near_normal_quantile(double q) {
  constexpr double near_c[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double near_d[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
  return q * ratio_of_degree_7(near_c, near_d, 0.180625 - q * q);
}

/// The number that a normal variable of mean 0 and standard deviation 1 is below with probability
/// p, in (0, 1), to about 1e-16 of itself: algorithm AS 241, PPND16 (Wichura 1988, Appl. Stat.
/// 37:477).
HILLOCK_FUNCTION double normal_quantile(double p) {
  const double q = p - 0.5;
  if (is_near(q)) return near_normal_quantile(q);
  constexpr double far_c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                               5.76949722146069140550e0,  3.64784832476320460504e0,
                               1.27045825245236838258e0,  2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double far_d[8] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
  constexpr double farthest_c[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double farthest_d[8] = {1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};
  const double r = sqrt<double>(-log<double>(q < 0 ? p : 1.0 - p));
  const double size = r <= 5 ? ratio_of_degree_7(far_c, far_d, r - 1.6)
                             : ratio_of_degree_7(farthest_c, farthest_d, r - 5.0);
  return q < 0 ? -size : size;
}

/// How many events of a Poisson process come where `mean` are expected, as the uniform number u
/// says: so many that the probability of fewer is not above u. mean: at most 600. Ends where the
/// probabilities beyond the mean no longer count, some nine standard deviations above it.
/// none: exp(-mean), the probability that none comes.
HILLOCK_FUNCTION double poisson_quantile(double mean, double none, double u) {
  double probability = none, below = none, count = 0;
  while (u >= below && (count < mean || probability > 0x1p-60)) {
    count += 1;
    probability *= mean / count;
    below += probability;
  }
  return count;
}
HILLOCK_FUNCTION double poisson_quantile(double mean, double u) {
  return poisson_quantile(mean, exp<double>(-mean), u);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
