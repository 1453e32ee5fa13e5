#pragma once
// A number with a slope: how fast it changes along one direction. What is computed with such
// numbers is derived as it goes, exactly, in long doubles.

#include <cmath>

#include "mechanisms/settling.hpp"

namespace hillock::simulator::reference {

struct Dual {
  long double value = 0, slope = 0;

  constexpr Dual() = default;
  constexpr Dual(long double its_value, long double its_slope = 0)
      : value(its_value), slope(its_slope) {}
  explicit constexpr operator double() const { return static_cast<double>(value); }
  explicit constexpr operator int() const { return static_cast<int>(value); }

  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const long double ratio = a.value / b.value;
    return {ratio, (a.slope - ratio * b.slope) / b.value};
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  // What evaluators ask of every value (core/simd/arithmetic.hpp).
  friend Dual select(bool condition, const Dual& yes, const Dual& no) {
    return condition ? yes : no;
  }
  friend Dual fma(const Dual& a, const Dual& b, const Dual& c) { return a * b + c; }
  friend Dual fused(const Dual& a, const Dual& b, const Dual& c) { return a * b + c; }
  friend Dual lesser(const Dual& a, const Dual& b) { return a < b ? a : b; }
  friend Dual greater(const Dual& a, const Dual& b) { return a > b ? a : b; }

  friend Dual log(const Dual& a) { return {std::log(a.value), a.slope / a.value}; }
  /// What is negligible is not seen, but how it changes is.
  friend Dual settled(const Dual& a) {
    return {std::abs(a.value) < mechanisms::negligible ? 0 : a.value, a.slope};
  }
};

}  // namespace hillock::simulator::reference
