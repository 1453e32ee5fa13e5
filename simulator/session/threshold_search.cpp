#include "simulator/session/threshold_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors/errors.hpp"

namespace hillock::session {

ThresholdSearch::ThresholdSearch(std::size_t cells, const Bounds& bounds)
    : bounds_(bounds),
      below_(cells, bounds.low),
      above_(cells, std::numeric_limits<double>::quiet_NaN()),
      is_beyond_(cells, false) {
  if (!(bounds.low >= 0 && bounds.low < bounds.high && std::isfinite(bounds.high)))
    throw UsageError(
        fmt::format("low and high must be two numbers, the lower one at least 0, not {} and {}",
                    bounds.low, bounds.high));
  if (!(bounds.tolerance > 0 && bounds.tolerance < 1))
    throw UsageError(fmt::format("tolerance is a part of a threshold, between 0 and 1, not {}",
                                 bounds.tolerance));
}

bool ThresholdSearch::rises(std::size_t cell) const {
  return std::isnan(above_[cell]) && !is_beyond_[cell];
}

bool ThresholdSearch::is_sought(std::size_t cell) const {
  const double above = above_[cell], least = 1e-9 * bounds_.high;
  return rises(cell) || (above - below_[cell] > bounds_.tolerance * above && above > least);
}

std::optional<std::vector<double>> ThresholdSearch::next() {
  if (!has_begun_) {
    tried_ = below_;
    return tried_;
  }
  const double first = std::max(2 * bounds_.low, bounds_.high / 1024);
  bool is_any_sought = false;
  for (std::size_t cell = 0; cell < tried_.size(); ++cell) {
    is_any_sought = is_any_sought || is_sought(cell);
    if (rises(cell) || is_beyond_[cell])
      tried_[cell] = std::min(std::max(2 * below_[cell], first), bounds_.high);
    else
      tried_[cell] = below_[cell] > 0 ? std::sqrt(below_[cell] * above_[cell]) : above_[cell] / 2;
  }
  return is_any_sought ? std::optional(tried_) : std::nullopt;
}

void ThresholdSearch::tell(const std::vector<bool>& is_enough) {
  for (std::size_t cell = 0; cell < tried_.size(); ++cell) {
    if (!has_begun_) {
      if (is_enough[cell]) above_[cell] = tried_[cell];
      continue;
    }
    if (!is_sought(cell)) continue;
    if (!is_enough[cell] && rises(cell) && tried_[cell] == bounds_.high) is_beyond_[cell] = true;
    (is_enough[cell] ? above_ : below_)[cell] = tried_[cell];
  }
  has_begun_ = true;
}

}  // namespace hillock::session
