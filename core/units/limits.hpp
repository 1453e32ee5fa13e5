#pragma once
// The range that a number of a model must lie in, and the words when it does not.

#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace hillock {

enum class Limit { inclusive, exclusive };

/// In the unit that `unit_text` names. A number must be finite as well.
struct Limits {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  Limit lower = Limit::inclusive;
  std::string unit_text;

  bool contain(double value) const;
};

/// The least and the greatest number that limits contain, if any; finite ones alone count.
std::pair<double, double> interval_of(const Limits& limits);

/// Why `value` is outside the limits; empty when it is not. `text` is how it was written.
std::string limit_problem(const Limits& limits, double value, std::string_view text);

/// "0.025 ms": a number without trailing digits of rounding.
std::string show(double value, std::string_view unit_text);

}  // namespace hillock
