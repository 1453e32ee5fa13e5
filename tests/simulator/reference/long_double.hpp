#pragma once
// The mathematics of evaluators on long doubles, by the C library's functions. Included before
// anything else of mechanisms/runtime, whose templates must see these overloads.

#include <cmath>

#include "core/simd/arithmetic.hpp"

namespace hillock::inline HILLOCK_ISA {

inline long double select(bool condition, long double yes, long double no) {
  return condition ? yes : no;
}
/// Rounded twice, of which a double sees nothing: the C library's takes a hundred times as long.
inline long double fma(long double a, long double b, long double c) {
  return a * b + c;
}
inline long double lesser(long double a, long double b) {
  return a < b ? a : b;
}
inline long double greater(long double a, long double b) {
  return a > b ? a : b;
}

}  // namespace hillock::inline HILLOCK_ISA

#include "mechanisms/runtime/math.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

template <>
struct NumberOf<long double> {
  using type = long double;
};

#define HILLOCK_LONG_DOUBLE(name)                 \
  template <>                                     \
  inline long double name(const long double& x) { \
    return std::name(x);                          \
  }
HILLOCK_LONG_DOUBLE(exp)
HILLOCK_LONG_DOUBLE(log)
HILLOCK_LONG_DOUBLE(abs)
HILLOCK_LONG_DOUBLE(floor)

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

HILLOCK_LONG_DOUBLE(sqrt)
HILLOCK_LONG_DOUBLE(sin)
HILLOCK_LONG_DOUBLE(cos)
HILLOCK_LONG_DOUBLE(tan)
HILLOCK_LONG_DOUBLE(asin)
HILLOCK_LONG_DOUBLE(acos)
HILLOCK_LONG_DOUBLE(atan)
HILLOCK_LONG_DOUBLE(sinh)
HILLOCK_LONG_DOUBLE(cosh)
HILLOCK_LONG_DOUBLE(tanh)
HILLOCK_LONG_DOUBLE(ceil)
HILLOCK_LONG_DOUBLE(erf)
#undef HILLOCK_LONG_DOUBLE

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
