#pragma once
// Mathematics of evaluators on floats, with the names of math.hpp and polynomials of its own,
// fitted for the least largest relative error with coefficients that are floats. Included by
// math.hpp. Without contraction the same bits on host and device.

#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// x, no further than lowest and highest; NaN for NaN.
HILLOCK_FUNCTION float between(float lowest, float highest, float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(x), "f"(highest));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(x), "f"(lowest));
  return x;
#else
  x = highest < x ? highest : x;
  return lowest > x ? lowest : x;
#endif
}

/// e^x to within 1 unit in the last place; e^-87 below -87, e^88 above 88, NaN for NaN. On a device
/// 14 instructions.
/// x = k·ln2 + r with |r| <= ln2/2; e^r = 1 + r + r²·q(r) with q of degree 4 (relative error of e^r
/// below 2^-28); the bits of 2^k come from those of the sum that rounds to k.
template <>
HILLOCK_FUNCTION float exp<float>(const float& x) {
  constexpr float log2_e = 1.44269504f;
  constexpr float ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f;
  // 1.5 · 2^23 rounds to an integer; 127 is the bias of exponents.
  constexpr float to_exponent = 12582912.0f + 127.0f;
  const float clipped = between(-87.0f, 88.0f, x);
  const float shifted = fma(clipped, log2_e, to_exponent);
  const float k = shifted - to_exponent;
  const float r = fma(k, -ln2_low, fma(k, -ln2_high, clipped));
  float p = fma(r, 0.00138207339f, 0.00836867746f);
  p = fma(r, p, 0.0416682661f);
  p = fma(r, p, 0.166665211f);
  p = fma(r, p, 0.49999994f);
  p = fma(r, p, 1.0f);
  p = fma(r, p, 1.0f);
  return p * from_bits(to_bits(shifted) << 23);
}

/// e^x - 1, where `elsewhere` is right to a few units in the last place of e^x: within |x| < 1/2
/// x + x²·q(x) with q of degree 4, to within 3 units in its last place.
HILLOCK_FUNCTION float exp_less_one_near_zero(float x, float elsewhere) {
  float q = fma(x, 0.0013870987f, 0.00840232987f);
  q = fma(x, q, 0.0416691378f);
  q = fma(x, q, 0.166661367f);
  q = fma(x, q, 0.499999821f);
  const float near_zero = fma(x * x, q, x);
  return x > -0.5f && x < 0.5f ? near_zero : elsewhere;
}

template <>
HILLOCK_FUNCTION float exp_less_one<float>(const float& x, const float& difference) {
  return exp_less_one_near_zero(x, difference);
}

template <>
HILLOCK_FUNCTION float one_less_exp<float>(const float& x, const float& difference) {
  return -exp_less_one_near_zero(x, -difference);
}

/// A positive normal number as 2^exponent·(1 + rest), with 1 + rest in [sqrt(1/2), sqrt(2)).
struct Split {
  float exponent, rest;
};

HILLOCK_FUNCTION Split split(float x) {
  constexpr int sqrt_half = 0x3f3504f3;
  const int k = (to_bits(x) - sqrt_half) >> 23;
  return {static_cast<float>(k), from_bits(to_bits(x) - (k << 23)) - 1.0f};
}

/// Natural logarithm of a positive normal number, to within 1 unit in the last place; NaN
/// otherwise. ln(1 + f) = f - f²/2 + f³·p(f) with p of degree 7.
template <>
HILLOCK_FUNCTION float log<float>(const float& x) {
  constexpr float ln2_high = 0.693138123f, ln2_low = 9.05800061e-6f;
  const Split of = split(x);
  const float k = of.exponent, f = of.rest, f2 = f * f;
  float p = fma(f, -0.0763819695f, 0.127647638f);
  p = fma(f, p, -0.13160190f);
  p = fma(f, p, 0.14201273f);
  p = fma(f, p, -0.166233152f);
  p = fma(f, p, 0.200012505f);
  p = fma(f, p, -0.250008225f);
  p = fma(f, p, 0.333333313f);
  const float small = fma(f2, fma(f, p, -0.5f), k * ln2_low);
  const float result = fma(k, ln2_high, f + small);
  return x > 0.0f ? result : (x - x) / (x - x);
}

/// x^y of a positive x, to within 6 units in the last place: ln x as a sum of two floats, which
/// e^(y·ln x) needs where y·ln x is large. ln(1 + f) = 2·atanh(f/(2 + f)) as an odd series.
HILLOCK_FUNCTION float power_of_floats(float x, float y) {
  constexpr float ln2_high = 0.693138123f, ln2_low = 9.05800061e-6f;  // k·ln2_high is exact
  const Split of = split(x);
  const float k = of.exponent, f = of.rest;
  // s + s_rest = f/(2 + f), with 2 + f = divisor + divisor_rest.
  const float divisor = f + 2.0f, divisor_rest = f - (divisor - 2.0f), inverse = 1.0f / divisor;
  const float s = f * inverse;
  const float s_rest = (fma(-s, divisor, f) - s * divisor_rest) * inverse;
  const float s2 = s * s;
  float series = fma(s2, 0.242788225f, 0.284987926f);
  series = fma(s2, series, 0.400009722f);
  series = fma(s2, series, 0.666666627f);
  const float twice = 2.0f * s, whole = k * ln2_high;
  const float ln = whole + twice;
  const float ln_rest =
      (twice - (ln - whole)) + fma(s * s2, series, fma(k, ln2_low, 2.0f * s_rest));
  const float product = between(-200.0f, 200.0f, y * ln);
  const float product_rest = fma(y, ln_rest, fma(y, ln, -product));
  const float exponent = product + product_rest;
  const float rest = product_rest - (exponent - product);
  const float power = exp<float>(exponent);
  return fma(power, exponent > -100.0f && exponent < 100.0f ? rest : 0.0f, power);
}

template <>
HILLOCK_FUNCTION float abs<float>(const float& x) {
#if defined(__CUDA_ARCH__)
  return ::fabsf(x);
#else
  return __builtin_fabsf(x);
#endif
}

template <>
HILLOCK_FUNCTION float floor<float>(const float& x) {
#if defined(__CUDA_ARCH__)
  return ::floorf(x);
#else
  return __builtin_floorf(x);
#endif
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
