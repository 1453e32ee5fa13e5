#pragma once
// Two normal draws of two uniform ones (Box and Muller 1958), on a double or a pack of doubles, and
// the sines that they need: the same bits on every machine, on host and device. Includes no
// standard header, so that NVRTC can compile it.

#include "core/simd/arithmetic.hpp"

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include "core/simd/pack.hpp"
#endif

namespace hillock::inline HILLOCK_ISA {

/// A number for each of two.
template <class V>
struct PairOf {
  V first, second;
};

/// -2 ln u for u in (0, 1), to within a few units in the last place. u = 2^k·m with m in
/// [sqrt(1/2), sqrt(2)); ln m = 2·atanh((m-1)/(m+1)), whose series is fitted (relative error below
/// 2^-55).
template <class V>
HILLOCK_FUNCTION V squared_radius(const V& u) {
  constexpr double two_52 = 4503599627370496.0, ln2 = 0.693147180559945309417;
  const V zero = V{};
  // Adding what lies above sqrt(1/2) to the bits carries into the exponent.
  const auto shifted = to_bits(u) + (0x3ff0000000000000LL - 0x3fe6a09e667f3bcdLL);
  const V k = from_bits(((shifted >> 52) & 0x7ff) + 0x4330000000000000LL) - (two_52 + 1023.0);
  const V m = from_bits((shifted & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  const V s = (m - 1.0) / (m + 1.0);
  const V s2 = s * s;
  const V s4 = s2 * s2;
  const V low = fma(s2, zero + 0.39999999999414676, zero + 0.6666666666666734);
  const V middle = fma(s2, zero + 0.22222198573157717, zero + 0.2857142874238801);
  const V high = fma(s2, zero + 0.15314050539471846, zero + 0.18183564327007024);
  const V series = fma(s4, fma(s4, fma(s4, zero + 0.14795949746504108, high), middle), low);
  const V ln_m = fma(s * s2, series, 2.0 * s);
  return -2.0 * fma(k, zero + ln2, ln_m);
}

/// Sine (first) and cosine of a part of a quarter of the circle, at most half of it to either side:
/// fitted to 2^-54.
template <class V>
HILLOCK_FUNCTION PairOf<V> within_quarter(const V& turn) {
  const V zero = V{};
  const V t = turn * turn;
  const V t2 = t * t;
  const V sine_0 = fma(t, zero - 0.6459640975062443, zero + 1.5707963267948966);
  const V sine_2 = fma(t, zero - 0.004681754132282415, zero + 0.07969262624603957);
  const V sine_4 = fma(t, zero - 3.5986417543868745e-06, zero + 0.00016044115029163048);
  const V sine =
      turn * fma(t2, fma(t2, fma(t2, zero + 5.633721005314096e-08, sine_4), sine_2), sine_0);
  const V cosine_0 = fma(t, zero - 1.2337005501361513, zero + 1.0);
  const V cosine_2 = fma(t, zero - 0.020863480734960478, zero + 0.25366950789986553);
  const V cosine_4 = fma(t, zero - 2.5200135645613786e-05, zero + 0.0009192599501489294);
  const V cosine =
      fma(t2, fma(t2, fma(t2, zero + 4.6553012711123956e-07, cosine_4), cosine_2), cosine_0);
  return {sine, cosine};
}

/// Sine (first) and cosine of so many quarters of the circle, below 2^51.
HILLOCK_FUNCTION PairOf<double> sine_and_cosine(double quarters) {
  constexpr double rounds = 6755399441055744.0;  // 1.5 · 2^52
  const double whole = (quarters + rounds) - rounds;
  const auto [sine, cosine] = within_quarter(quarters - whole);
  switch (static_cast<long long>(whole) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

/// Two independent draws of mean 0 and standard deviation 1 (Box and Muller 1958). u: for the
/// radius; angle: both in (0, 1); bits: of the angle's word, whose last ones are independent of
/// `angle`. The angle is taken from a quarter of the circle, of which the bits choose one.
template <class V, class Bits>
HILLOCK_FUNCTION PairOf<V> normal_pair(const V& u, const V& angle, const Bits& bits) {
  const auto [sine, cosine] = within_quarter<V>(angle - 0.5);
  const V radius = from_bits(to_bits(square_root(squared_radius<V>(u))) | (bits << 63));
  const auto across = (bits & 2) != 0;
  return {radius * V(select(across, sine, cosine)), radius * V(select(across, cosine, sine))};
}

}  // namespace hillock::inline HILLOCK_ISA
