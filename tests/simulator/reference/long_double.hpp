#pragma once
// The mathematics of evaluators on long doubles, by the C library's functions. Included before
// anything else of mechanisms/runtime, whose templates must see these overloads.

#include <cmath>

#include "core/arithmetic.hpp"

namespace hillock::inline HILLOCK_ISA {

inline long double select(bool condition, long double yes, long double no) {
  return condition ? yes : no;
}
inline long double fma(long double a, long double b, long double c) {
  return std::fma(a, b, c);
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

template <>
inline long double exp<long double>(const long double& x) {
  return std::exp(x);
}
template <>
inline long double log<long double>(const long double& x) {
  return std::log(x);
}
template <>
inline long double abs<long double>(const long double& x) {
  return std::abs(x);
}
template <>
inline long double floor<long double>(const long double& x) {
  return std::floor(x);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

#define HILLOCK_LONG_DOUBLE(name)                             \
  template <>                                                 \
  inline long double name<long double>(const long double& x) { \
    return std::name(x);                                      \
  }
HILLOCK_LONG_DOUBLE(sqrt)
HILLOCK_LONG_DOUBLE(cosh)
HILLOCK_LONG_DOUBLE(tanh)
HILLOCK_LONG_DOUBLE(ceil)
#undef HILLOCK_LONG_DOUBLE

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
