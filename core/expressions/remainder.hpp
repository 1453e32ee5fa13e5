#pragma once
// The remainder of expressions' mod(a, b): of the sign of b, so it repeats through negative a too.

namespace hillock::inline HILLOCK_ISA {

/// a - b · floor(a / b), without round-off. Not a number where b is 0.
inline double floored_remainder(double a, double b) {
  const double remainder = __builtin_fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace hillock::inline HILLOCK_ISA
