#pragma once
// Mathematics for evaluators, on any value type: double, float, or a pack of either
// (core/simd/pack.hpp). What floats do otherwise is in single.hpp. Includes no standard header on a
// device, so that NVRTC can compile it. The same arithmetic runs in every lane and backend.

#include "core/simd/arithmetic.hpp"
#include "core/simd/targets.hpp"

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include "core/simd/pack.hpp"
#endif

// What is long: part of the loop that calls it, but where every fma is a call to the C library, and
// a body of its own costs nothing beside that.
#if defined(HILLOCK_HAS_FMA)
#define HILLOCK_LONG_FUNCTION HILLOCK_FUNCTION
#else
#define HILLOCK_LONG_FUNCTION __attribute__((noinline)) HILLOCK_FUNCTION
#endif

// A part of a function that would be too long: on the host a function of its own.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HILLOCK_PART __host__ __device__ __forceinline__
#else
#define HILLOCK_PART HILLOCK_KERNEL __attribute__((noinline))
#endif

namespace hillock::mechanisms::inline HILLOCK_ISA {

/// The number beside a value: what literals, dt and the temperature are.
template <class V>
struct NumberOf {
  using type = double;
};
template <>
struct NumberOf<float> {
  using type = float;
};
#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
template <int n, bool fits>
struct NumberOf<Lanes<float, n, fits>> {
  using type = float;
};
#endif
template <class V>
using Number = typename NumberOf<V>::type;
/// Whether it is a float, or of floats.
template <class V>
inline constexpr bool is_single = sizeof(Number<V>) == sizeof(float);

/// Whether a value is one number, and how many it is.
template <class V>
inline constexpr bool is_one_number = sizeof(V) == sizeof(Number<V>);
template <class V>
inline constexpr int numbers_in = static_cast<int>(sizeof(V) / sizeof(Number<V>));

/// The bits of a value, and back. Those of doubles and packs are core's.
HILLOCK_FUNCTION int to_bits(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_int(x);
#else
  return __builtin_bit_cast(int, x);
#endif
}

HILLOCK_FUNCTION float from_bits(int bits) {
#if defined(__CUDA_ARCH__)
  return __int_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

/// yes where the condition holds, no elsewhere; both are computed.
HILLOCK_FUNCTION float select(bool condition, float yes, float no) {
  return condition ? yes : no;
}

// Doubles and packs stand before the templates, which must see their overloads.
using hillock::fma;
using hillock::from_bits;
using hillock::greater;
using hillock::lesser;
using hillock::select;
using hillock::to_bits;

HILLOCK_FUNCTION float lesser(float a, float b) {
  return a < b ? a : b;
}
HILLOCK_FUNCTION float greater(float a, float b) {
  return a > b ? a : b;
}

HILLOCK_FUNCTION float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

/// e^x to within 1 unit in the last place; e^-707 below -707, e^709 above 709, NaN for NaN: what is
/// made of it stays finite where that can be.
/// x = k·ln2 + r with |r| <= ln2/2; e^r = 1 + r + r²·q(r) with q of degree 9, fitted at Chebyshev
/// nodes (relative error of e^r below 2^-55); k is added to the exponent bits.
template <class V>
HILLOCK_LONG_FUNCTION V exp_of_doubles(const V& x) {
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180559945286227e-01;
  constexpr double ln2_low = 2.31904681384629955842e-17;
  // 1.5 · 2^52: adding it rounds to an integer, and leaves that in the low bits.
  constexpr double to_integer = 6755399441055744.0;
  constexpr double lowest = -707.0, highest = 709.0;  // p·2^k is a normal number in between
  const V zero = V{};
  const V clipped = greater(zero + lowest, lesser(zero + highest, x));
  const V shifted = fma(clipped, zero + log2_e, zero + to_integer);
  const V k = shifted - to_integer;
  const V r = fma(k, zero - ln2_low, fma(k, zero - ln2_high, clipped));
  const V r2 = r * r;
  const V r4 = r2 * r2;
  // Estrin's scheme: short dependency chains.
  const V q01 = fma(r, zero + 0.16666666666666669, zero + 0.5000000000000001);
  const V q23 = fma(r, zero + 0.008333333333330051, zero + 0.04166666666662399);
  const V q45 = fma(r, zero + 0.00019841269863105968, zero + 0.0013888888917281794);
  const V q67 = fma(r, zero + 2.7557268378684192e-06, zero + 2.480152119021773e-05);
  const V q89 = fma(r, zero + 2.5100424157005067e-08, zero + 2.7620138719733994e-07);
  const V low = fma(r2, q23, q01);
  const V middle = fma(r2, q67, q45);
  const V q = fma(r4, fma(r4, q89, middle), low);
  const V p = 1.0 + fma(r2, q, r);
  return from_bits(to_bits(p) + (to_bits(shifted) << 52));
}

/// Natural logarithm of a positive normal number, to within 2 units in the last place; NaN
/// otherwise. x = 2^k·m with m in [sqrt(1/2), sqrt(2)); ln m = 2·atanh((m-1)/(m+1)) as an odd
/// series.
template <class V>
HILLOCK_LONG_FUNCTION V log_of_doubles(const V& x) {
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  // The exponent as a double: its bits on top of 2^52's, minus 2^52 and the bias.
  constexpr double two_52 = 4503599627370496.0;
  const V k0 = from_bits(((to_bits(x) >> 52) & 0x7ff) + 0x4330000000000000LL) - (two_52 + 1023.0);
  const V m0 = from_bits((to_bits(x) & 0x000fffffffffffffLL) + 0x3ff0000000000000LL);
  const auto high = m0 > 1.4142135623730951;
  const V m = select(high, m0 * 0.5, m0);
  const V k = select(high, k0 + 1.0, k0);
  const V s = (m - 1.0) / (m + 1.0);
  const V s2 = s * s;
  V series = s2 * (1.0 / 23) + 1.0 / 21;
  series = series * s2 + 1.0 / 19;
  series = series * s2 + 1.0 / 17;
  series = series * s2 + 1.0 / 15;
  series = series * s2 + 1.0 / 13;
  series = series * s2 + 1.0 / 11;
  series = series * s2 + 1.0 / 9;
  series = series * s2 + 1.0 / 7;
  series = series * s2 + 1.0 / 5;
  series = series * s2 + 1.0 / 3;
  const V ln_m = 2.0 * s + 2.0 * s * (s2 * series);
  const V result = k * ln2_high + (k * ln2_low + ln_m);
  return select(x > 0.0, result, (x - x) / (x - x));
}

template <class V>
HILLOCK_FUNCTION V abs(const V& x) {
  if constexpr (is_single<V>)
    return from_bits(to_bits(x) & 0x7fffffff);
  else
    return from_bits(to_bits(x) & 0x7fffffffffffffffLL);
}

template <class V>
HILLOCK_FUNCTION V min(const V& a, const V& b) {
  return select(b < a, b, a);
}

template <class V>
HILLOCK_FUNCTION V max(const V& a, const V& b) {
  return select(a < b, b, a);
}

/// The largest integer not above x, for |x| < 2^51.
template <class V>
HILLOCK_FUNCTION V floor_of_doubles(const V& x) {
  constexpr double to_integer = 6755399441055744.0;
  const V nearest = (x + to_integer) - to_integer;
  return select(nearest > x, nearest - 1.0, nearest);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

#include "mechanisms/runtime/single.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

#define HILLOCK_BY_PRECISION(name)      \
  template <class V>                    \
  HILLOCK_FUNCTION V name(const V& x) { \
    if constexpr (is_single<V>)         \
      return name##_of_floats(x);       \
    else                                \
      return name##_of_doubles(x);      \
  }
HILLOCK_BY_PRECISION(exp)
HILLOCK_BY_PRECISION(log)
HILLOCK_BY_PRECISION(floor)
#undef HILLOCK_BY_PRECISION

/// e^x - 1 and 1 - e^x, which the compiler has worked out as `difference`; of floats that is right
/// away from 0 alone.
template <class V>
HILLOCK_FUNCTION V exp_less_one([[maybe_unused]] const V& x, const V& difference) {
  if constexpr (is_single<V>)
    return exp_less_one_near_zero(x, difference);
  else
    return difference;
}
template <class V>
HILLOCK_FUNCTION V one_less_exp(const V& x, const V& difference) {
  return -exp_less_one(x, V(-difference));
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
