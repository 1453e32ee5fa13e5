#pragma once
// What one double has in common with a pack of doubles (core/simd/pack.hpp), on host and device:
// the same bits everywhere. Includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::inline HILLOCK_ISA {

/// The bits of a value, and back.
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

/// a·b + c, rounded once.
HILLOCK_FUNCTION double fma(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// a where a < b, else b: b for a NaN in either.
HILLOCK_FUNCTION double lesser(double a, double b) {
  return a < b ? a : b;
}
/// a where a > b, else b: b for a NaN in either.
HILLOCK_FUNCTION double greater(double a, double b) {
  return a > b ? a : b;
}

/// Rounded once.
HILLOCK_FUNCTION double square_root(double a) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(a);
#else
  return __builtin_sqrt(a);
#endif
}

}  // namespace hillock::inline HILLOCK_ISA
