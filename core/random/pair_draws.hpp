#pragma once
// Draws for things that three numbers tell apart, as source, target and number do connections: two
// independent ones each, of one block of Philox4x32-10. The same bits on every machine, on host and
// device (nvcc --fmad=false). Includes no standard header.

#include "core/random/normal_pair.hpp"
#include "core/random/philox.hpp"
#include "core/simd/exponential.hpp"

namespace hillock {

/// What a distribution makes of a draw that is uniform in (0, 1), or normal.
struct DrawShape {
  enum Kind : int { uniform, normal, lognormal };
  Kind kind = uniform;
  double offset = 0, factor = 1;  ///< draw · factor + offset; of lognormal the exponent
  double sign = 1;                ///< of lognormal: 1 or -1, what e to the power is multiplied by
  bool truncated = false;         ///< what lies outside is drawn again, with the next attempt
  double minimum = 0, maximum = 0;

  HILLOCK_FUNCTION bool is_of_normal() const { return kind != uniform; }
  HILLOCK_FUNCTION bool refuses(double value) const {
    return truncated && (value < minimum || value > maximum);
  }
  /// So often a value is drawn before it is an error.
  static constexpr unsigned patience = 100000;
};

inline namespace HILLOCK_ISA {

template <class V>
HILLOCK_FUNCTION V shaped(const DrawShape& shape, const V& draw) {
  const V value = draw * shape.factor + shape.offset;
  return shape.kind == DrawShape::lognormal ? V(exponential<V>(value) * shape.sign) : value;
}

/// The two draws of a counter: uniform, or normal.
HILLOCK_FUNCTION PairOf<double> draw_pair(const PhiloxWords<unsigned>& counter,
                                          unsigned long long key, bool normal) {
  const WordPair words = word_pair(counter, key);
  const double first = unit_interval(words.first), second = unit_interval(words.second);
  if (!normal) return {first, second};
  return normal_pair<double>(first, second, static_cast<long long>(words.second));
}

/// A value that the first or the second draw makes, the counter's last word counting attempts. One
/// that the shape still refuses when patience is at an end.
HILLOCK_FUNCTION double drawn_value(const DrawShape& shape, unsigned a, unsigned b, unsigned c,
                                    unsigned long long key, bool second) {
  for (unsigned attempt = 0;; ++attempt) {
    const PairOf<double> draws = draw_pair({{a, b, c, attempt}}, key, shape.is_of_normal());
    const double value = shaped(shape, second ? draws.second : draws.first);
    if (!shape.refuses(value) || attempt == DrawShape::patience) return value;
  }
}

}  // namespace HILLOCK_ISA

}  // namespace hillock
