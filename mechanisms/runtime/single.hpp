#pragma once
// Mathematics of evaluators on floats and packs of them, with polynomials of its own, fitted for
// the least largest relative error with coefficients that are floats. Included by math.hpp. Without
// contraction the same bits on host and device.

#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// x, no further than lowest and highest; NaN for NaN.
template <class V>
HILLOCK_FUNCTION V between(float lowest, float highest, const V& x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  V result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(highest));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(result), "f"(lowest));
  return result;
#else
  const V zero = V{};
  return greater(V(zero + lowest), V(lesser(V(zero + highest), x)));
#endif
}

/// e^x to within 1 unit in the last place; e^-87 below -87, e^88 above 88, NaN for NaN. On a device
/// 14 instructions.
/// x = k·ln2 + r with |r| <= ln2/2; e^r = 1 + r + r²·q(r) with q of degree 4 (relative error of e^r
/// below 2^-28); the bits of 2^k come from those of the sum that rounds to k.
template <class V>
HILLOCK_FUNCTION V exp_of_floats(const V& x) {
  constexpr float log2_e = 1.44269504f;
  constexpr float ln2_high = 0.693145752f, ln2_low = 1.42860677e-6f;
  // 1.5 · 2^23 rounds to an integer; 127 is the bias of exponents.
  constexpr float to_exponent = 12582912.0f + 127.0f;
  const V zero = V{};
  const V clipped = between<V>(-87.0f, 88.0f, x);
  const V shifted = fma(clipped, zero + log2_e, zero + to_exponent);
  const V k = shifted - to_exponent;
  const V r = fma(k, zero - ln2_low, fma(k, zero - ln2_high, clipped));
  V p = fma(r, zero + 0.00138207339f, zero + 0.00836867746f);
  p = fma(r, p, zero + 0.0416682661f);
  p = fma(r, p, zero + 0.166665211f);
  p = fma(r, p, zero + 0.49999994f);
  p = fma(r, p, zero + 1.0f);
  p = fma(r, p, zero + 1.0f);
  return p * from_bits(to_bits(shifted) << 23);
}

/// e^x - 1, where `elsewhere` is right to a few units in the last place of e^x: within |x| < 1/2
/// x + x²·q(x) with q of degree 4, to within 3 units in its last place.
template <class V>
HILLOCK_FUNCTION V exp_less_one_near_zero(const V& x, const V& elsewhere) {
  const V zero = V{};
  V q = fma(x, zero + 0.0013870987f, zero + 0.00840232987f);
  q = fma(x, q, zero + 0.0416691378f);
  q = fma(x, q, zero + 0.166661367f);
  q = fma(x, q, zero + 0.499999821f);
  const V near_zero = fma(x * x, q, x);
  return select(abs<V>(x) < 0.5f, near_zero, elsewhere);
}

HILLOCK_FUNCTION float to_floats(int whole) {
  return static_cast<float>(whole);
}

/// A positive normal number as 2^exponent·(1 + rest), with 1 + rest in [sqrt(1/2), sqrt(2)).
template <class V>
struct Split {
  V exponent, rest;
};

template <class V>
HILLOCK_FUNCTION Split<V> split(const V& x) {
  constexpr int sqrt_half = 0x3f3504f3;
  const auto k = (to_bits(x) - sqrt_half) >> 23;
  return {to_floats(k), from_bits(to_bits(x) - (k << 23)) - 1.0f};
}

/// Natural logarithm of a positive normal number, to within 1 unit in the last place; NaN
/// otherwise. ln(1 + f) = f - f²/2 + f³·p(f) with p of degree 7.
template <class V>
HILLOCK_FUNCTION V log_of_floats(const V& x) {
  constexpr float ln2_high = 0.693138123f, ln2_low = 9.05800061e-6f;
  const V zero = V{};
  const Split<V> of = split(x);
  const V k = of.exponent, f = of.rest, f2 = f * f;
  V p = fma(f, zero - 0.0763819695f, zero + 0.127647638f);
  p = fma(f, p, zero - 0.13160190f);
  p = fma(f, p, zero + 0.14201273f);
  p = fma(f, p, zero - 0.166233152f);
  p = fma(f, p, zero + 0.200012505f);
  p = fma(f, p, zero - 0.250008225f);
  p = fma(f, p, zero + 0.333333313f);
  const V small = fma(f2, V(fma(f, p, zero - 0.5f)), k * ln2_low);
  const V result = fma(k, zero + ln2_high, f + small);
  return select(x > 0.0f, result, V((x - x) / (x - x)));
}

/// x^y of a positive x, to within 6 units in the last place: ln x as a sum of two floats, which
/// e^(y·ln x) needs where y·ln x is large. ln(1 + f) = 2·atanh(f/(2 + f)) as an odd series.
template <class V>
HILLOCK_FUNCTION V power_of_floats(const V& x, const V& y) {
  constexpr float ln2_high = 0.693138123f, ln2_low = 9.05800061e-6f;  // k·ln2_high is exact
  const V zero = V{};
  const Split<V> of = split(x);
  const V k = of.exponent, f = of.rest;
  // s + s_rest = f/(2 + f), with 2 + f = divisor + divisor_rest.
  const V divisor = f + 2.0f, divisor_rest = f - (divisor - 2.0f), inverse = 1.0f / divisor;
  const V s = f * inverse;
  const V s_rest = (fma(V(-s), divisor, f) - s * divisor_rest) * inverse;
  const V s2 = s * s;
  V series = fma(s2, zero + 0.242788225f, zero + 0.284987926f);
  series = fma(s2, series, zero + 0.400009722f);
  series = fma(s2, series, zero + 0.666666627f);
  const V twice = 2.0f * s, whole = k * ln2_high;
  const V ln = whole + twice;
  const V ln_rest =
      (twice - (ln - whole)) + fma(s * s2, series, V(fma(k, zero + ln2_low, 2.0f * s_rest)));
  const V product = between<V>(-200.0f, 200.0f, y * ln);
  const V product_rest = fma(y, ln_rest, V(fma(y, ln, V(-product))));
  const V exponent = product + product_rest;
  const V rest = product_rest - (exponent - product);
  const V power = exp_of_floats(exponent);
  return fma(power, V(select(abs<V>(exponent) < 100.0f, rest, zero)), power);
}

/// One lane after the other: the trick of doubles ends at 2^22.
template <class V>
HILLOCK_FUNCTION V floor_of_floats(const V& x) {
#if defined(__CUDA_ARCH__)
  return ::floorf(x);
#else
  if constexpr (is_one_number<V>) {
    return __builtin_floorf(x);
  } else {
    V result = V{};
    for (int lane = 0; lane < numbers_in<V>; ++lane) result[lane] = __builtin_floorf(x[lane]);
    return result;
  }
#endif
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
