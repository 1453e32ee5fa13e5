#pragma once
// Sums that do not depend on the order of their summands: a number is kept as parts that are whole
// multiples of powers of 2, and adding these is exact. On doubles and packs of doubles, host and
// device.

#include <cstddef>
#include <span>

#include "core/simd/targets.hpp"

namespace hillock {

/// A number below 2^19 as four parts, the first the finest: it is rounded to a multiple of 2^-80.
/// Sums of up to 2^28 of them are exact, part by part.
struct ExactSum {
  static constexpr std::size_t parts = 4;
  /// What a part is a multiple of.
  HILLOCK_FUNCTION static constexpr double spacing(std::size_t part) {
    return part == 0 ? 0x1p-80 : part == 1 ? 0x1p-55 : part == 2 ? 0x1p-30 : 0x1p-5;
  }

  /// The next multiple of a spacing. value: at most 2^51 of these.
  template <class V>
  HILLOCK_FUNCTION static V multiple(const V& value, double spacing_of_part) {
    const double large = 0x1.8p52 * spacing_of_part;
    return (value + large) - large;
  }
  /// Adds a number to the parts of a sum. V: double, or a pack. part(k): a V&.
  template <class V, class Part>
  HILLOCK_FUNCTION static void add(V value, const Part& part) {
    for (std::size_t k = parts; k-- > 0;) {
      const V some = multiple(value, spacing(k));
      part(k, some);
      value = value - some;
    }
  }
  /// What the parts come to, to within two units in the last place.
  static double value(std::span<const double, parts> sum) {
    return ((sum[3] + sum[2]) + sum[1]) + sum[0];
  }
};

}  // namespace hillock
