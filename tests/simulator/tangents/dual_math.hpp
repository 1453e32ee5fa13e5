#pragma once
// The mathematics of evaluators on numbers with a slope, by the C library's functions of long
// doubles. Included before anything else of mechanisms/runtime.

#include <cmath>
#include <numbers>

#include "mechanisms/runtime/math.hpp"
#include "tests/simulator/tangents/dual.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

using simulator::reference::Dual;

template <>
struct NumberOf<Dual> {
  using type = Dual;
};

/// As that of doubles, which stays finite.
template <>
inline Dual exp(const Dual& x) {
  const long double power = std::exp(std::fmax(-707.0L, std::fmin(x.value, 709.0L)));
  return {power, power * x.slope};
}
template <>
inline Dual log(const Dual& x) {
  return log(x);
}
template <>
inline Dual abs(const Dual& x) {
  return x.value < 0 ? -x : x;
}
template <>
inline Dual floor(const Dual& x) {
  return std::floor(x.value);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA

#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

template <>
inline Dual ceil(const Dual& x) {
  return std::ceil(x.value);
}
#define HILLOCK_DUAL(name, its_slope)        \
  template <>                                \
  inline Dual name(const Dual& dual) {       \
    const long double x = dual.value;        \
    const long double result = std::name(x); \
    return {result, (its_slope)*dual.slope}; \
  }
HILLOCK_DUAL(sqrt, 1 / (2 * result))
HILLOCK_DUAL(sin, std::cos(x))
HILLOCK_DUAL(cos, -std::sin(x))
HILLOCK_DUAL(tan, 1 + result * result)
HILLOCK_DUAL(asin, 1 / std::sqrt(1 - x * x))
HILLOCK_DUAL(acos, -1 / std::sqrt(1 - x * x))
HILLOCK_DUAL(atan, 1 / (1 + x * x))
HILLOCK_DUAL(sinh, std::cosh(x))
HILLOCK_DUAL(cosh, std::sinh(x))
HILLOCK_DUAL(tanh, 1 - result * result)
HILLOCK_DUAL(erf, 2 * std::numbers::inv_sqrtpi_v<long double> * std::exp(-x * x))
#undef HILLOCK_DUAL
template <>
inline Dual atan2(const Dual& y, const Dual& x) {
  return {std::atan2(y.value, x.value),
          (y.slope * x.value - x.slope * y.value) / (x.value * x.value + y.value * y.value)};
}
template <>
inline Dual fmod(const Dual& x, const Dual& y) {
  return {std::fmod(x.value, y.value), x.slope - std::trunc(x.value / y.value) * y.slope};
}

/// Until the slope has come to rest, too: it follows a round behind.
template <>
inline auto still_moves(const Dual& step, const Dual& x) {
  const auto moves = [](long double by, long double of) {
    return std::abs(by) > 1e-16L * std::abs(of) + 1e-300L;
  };
  return moves(step.value, x.value) || moves(step.slope, x.slope);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
