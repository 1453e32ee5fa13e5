#include "core/units/limits.hpp"

#include <fmt/format.h>

#include <cmath>

namespace hillock {

bool Limits::contain(double value) const {
  return std::isfinite(value) && value >= minimum && value <= maximum &&
         !(lower == Limit::exclusive && value == minimum);
}

std::pair<double, double> interval_of(const Limits& limits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {
      limits.lower == Limit::exclusive ? std::nextafter(limits.minimum, infinity) : limits.minimum,
      limits.maximum};
}

std::string limit_problem(const Limits& limits, double value, std::string_view text) {
  if (limits.contain(value)) return "";
  if (!std::isfinite(value)) return fmt::format("{} is not a finite number", text);
  if (value > limits.maximum)
    return fmt::format("{} must be at most {}", text, show(limits.maximum, limits.unit_text));
  if (limits.minimum == 0)
    return fmt::format("{} must {}", text,
                       limits.lower == Limit::exclusive ? "be positive" : "not be negative");
  // A limit such as 1e-9 ms only keeps 0 away from divisions.
  if (limits.minimum > 0 && limits.minimum < 1e-6 && value <= 0)
    return fmt::format("{} must be positive", text);
  return fmt::format("{} must be {} {}", text,
                     limits.lower == Limit::exclusive ? "more than" : "at least",
                     show(limits.minimum, limits.unit_text));
}

std::string show(double value, std::string_view unit_text) {
  // The sign of zero and of what is no number means nothing to a reader.
  if (value == 0 || std::isnan(value)) value = std::abs(value);
  return unit_text.empty() ? fmt::format("{:.12g}", value)
                           : fmt::format("{:.12g} {}", value, unit_text);
}

}  // namespace hillock
