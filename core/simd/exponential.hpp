#pragma once
// e^x of expressions, on a double or a pack of doubles: the same bits on every machine, whatever
// its C library and instruction set (docs/decisions/0018). Not that of mechanisms, whose result
// stays finite (mechanisms/runtime/math.hpp). On a device it has these bits where nothing is
// contracted to fused multiply-adds (nvcc --fmad=false).

#include "core/simd/arithmetic.hpp"

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include "core/simd/pack.hpp"
#endif

namespace hillock::inline HILLOCK_ISA {

/// To within 0.8 units in the last place, of numbers below the normal ones within one; 0 and
/// infinity where no other number is near, NaN for NaN.
/// x = k·ln2 + r with |r| <= ln2/2; e^r is its Taylor series up to r^13/13!, whose rest is below
/// 2^-57. Additions and multiplications alone: a fused one would be a call where there is none.
template <class V>
HILLOCK_FUNCTION V exponential(const V& x) {
  constexpr double log2_e = 1.4426950408889634074;
  // Both parts have so many zeros at their end that k times the first is exact.
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  // 1.5 · 2^52: adding it rounds to an integer, and leaves that in the low bits.
  constexpr double to_integer = 6755399441055744.0;
  constexpr double lowest = -746.0, highest = 710.0;  // e^x is 0 and infinity there
  const V zero = V{};
  const V clipped = greater(zero + lowest, lesser(zero + highest, x));
  const V k = (clipped * log2_e + to_integer) - to_integer;
  const V high = clipped - k * ln2_high;
  const V low = k * ln2_low;
  const V r = high - low;
  const V r_rest = (high - r) - low;
  const V r2 = r * r;
  const V r4 = r2 * r2;
  const V r8 = r4 * r4;
  // (e^r - 1 - r) / r², in short chains.
  const V q01 = r * (1.0 / 6) + 1.0 / 2;
  const V q23 = r * (1.0 / 120) + 1.0 / 24;
  const V q45 = r * (1.0 / 5040) + 1.0 / 720;
  const V q67 = r * (1.0 / 362880) + 1.0 / 40320;
  const V q89 = r * (1.0 / 39916800) + 1.0 / 3628800;
  const V qab = r * (1.0 / 6227020800) + 1.0 / 479001600;
  const V q = (q01 + r2 * q23) + r4 * (q45 + r2 * q67) + r8 * (q89 + r2 * qab);
  // 1 + r and what is lost in that sum; the rest is small beside it.
  const V sum = 1.0 + r;
  const V lost = r - (sum - 1.0);
  const V p = sum + (lost + (r_rest + r2 * q));
  // 2^k in two factors, of which none is out of range. k's half lies in the low bits, too.
  const V half = (k * 0.5 + to_integer) - to_integer;
  const auto power = [&](const V& exponent) {
    return from_bits((to_bits(exponent + to_integer) + 1023) << 52);
  };
  return p * power(half) * power(k - half);
}

}  // namespace hillock::inline HILLOCK_ISA
