#pragma once
// Mathematics for evaluators, on any value type: double, or a pack of doubles (core/pack.hpp).
// Includes nothing on a device, so that NVRTC can compile it. The same arithmetic runs in every lane and backend.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HILLOCK_FUNCTION __host__ __device__ inline
#else
#define HILLOCK_FUNCTION inline
#endif

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include "core/pack.hpp"
#endif

namespace hillock::mechanisms {

/// The bits of a value, and back. Packs have their own overloads.
HILLOCK_FUNCTION long long to_bits(double x) {
#if defined(__CUDA_ARCH__)
  return __double_as_longlong(x);
#else
  return __builtin_bit_cast(long long, x);
#endif
}

HILLOCK_FUNCTION double from_bits(long long bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(bits);
#else
  return __builtin_bit_cast(double, bits);
#endif
}

/// yes where the condition holds, no elsewhere; both are computed.
HILLOCK_FUNCTION double select(bool condition, double yes, double no) {
  return condition ? yes : no;
}

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
// Packs stand before the templates, which must see their overloads.
using Bits4 = decltype(Pack4{} < Pack4{});
using Bits8 = decltype(Pack8{} < Pack8{});

inline Bits4 to_bits(const Pack4& x) { return reinterpret_cast<Bits4>(x); }
inline Bits8 to_bits(const Pack8& x) { return reinterpret_cast<Bits8>(x); }
inline Pack4 from_bits(const Bits4& bits) { return reinterpret_cast<Pack4>(bits); }
inline Pack8 from_bits(const Bits8& bits) { return reinterpret_cast<Pack8>(bits); }
inline Pack4 select(const Bits4& condition, const Pack4& yes, const Pack4& no) {
  return condition ? yes : no;
}
inline Pack8 select(const Bits8& condition, const Pack8& yes, const Pack8& no) {
  return condition ? yes : no;
}
#endif

/// e^x to within 1 unit in the last place; 0 below -708.39, infinity above 709.78, NaN for NaN.
/// x = k·ln2 + r with |r| <= ln2/2, a polynomial of degree 13 in r (Taylor; the remainder is below
/// 1e-17), and k added to the exponent bits.
template <class V>
HILLOCK_FUNCTION V exp(const V& x) {
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double to_integer = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to an integer
  V clipped = select(x < -708.39, V{} - 708.39, x);
  clipped = select(clipped > 709.78, V{} + 709.78, clipped);
  const V shifted = clipped * log2_e + to_integer;
  const V k = shifted - to_integer;
  const V r = (clipped - k * ln2_high) - k * ln2_low;
  const V r2 = r * r;
  const V r4 = r2 * r2;
  // Estrin's scheme: short dependency chains.
  const V p01 = 1.0 + r;
  const V p23 = 0.5 + r * (1.0 / 6);
  const V p45 = 1.0 / 24 + r * (1.0 / 120);
  const V p67 = 1.0 / 720 + r * (1.0 / 5040);
  const V p89 = 1.0 / 40320 + r * (1.0 / 362880);
  const V pab = 1.0 / 3628800 + r * (1.0 / 39916800);
  const V pcd = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
  const V low = p45 + r2 * p67;
  const V high = p89 + r2 * (pab + r2 * pcd);
  const V tail = p23 + r2 * (low + r4 * high);
  const V p = p01 + r2 * tail;
  const V result = from_bits(to_bits(p) + (to_bits(shifted) << 52));
  const V overflow = select(x > 709.78, V{} + from_bits(0x7ff0000000000000LL), result);
  return select(x < -708.39, V{}, overflow);
}

/// Natural logarithm of a positive normal number, to within 2 units in the last place; NaN otherwise.
/// x = 2^k·m with m in [sqrt(1/2), sqrt(2)); ln m = 2·atanh((m-1)/(m+1)) as an odd series.
template <class V>
HILLOCK_FUNCTION V log(const V& x) {
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
  return select(x < 0.0, -x, x);
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
HILLOCK_FUNCTION V floor(const V& x) {
  constexpr double to_integer = 6755399441055744.0;
  const V nearest = (x + to_integer) - to_integer;
  return select(nearest > x, nearest - 1.0, nearest);
}

}  // namespace hillock::mechanisms
