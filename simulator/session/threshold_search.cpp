#include "simulator/session/threshold_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors/errors.hpp"

namespace hillock::session {

ThresholdSearch::ThresholdSearch(std::size_t cells, const Bounds& bounds)
    : bounds_(bounds),
      known_(cells, {bounds.low, std::numeric_limits<double>::quiet_NaN(), false, false}) {
  if (!(bounds.low >= 0 && bounds.low < bounds.high && std::isfinite(bounds.high)))
    throw UsageError(
        fmt::format("low and high must be two numbers, the lower one at least 0, not {} and {}",
                    bounds.low, bounds.high));
  if (!(bounds.tolerance > 0 && bounds.tolerance < 1))
    throw UsageError(fmt::format("tolerance is a part of a threshold, between 0 and 1, not {}",
                                 bounds.tolerance));
}

bool ThresholdSearch::rises(const Known& cell) const {
  return std::isnan(cell.above) && !cell.is_beyond;
}

bool ThresholdSearch::is_sought(const Known& cell) const {
  const double least = 1e-9 * bounds_.high;
  return rises(cell) ||
         (cell.above - cell.below > bounds_.tolerance * cell.above && cell.above > least);
}

double ThresholdSearch::next_of(const Known& cell) const {
  if (!cell.tried_low) return bounds_.low;
  if (rises(cell)) {
    const double first = std::max(2 * bounds_.low, bounds_.high / 1024);
    return std::min(std::max(2 * cell.below, first), bounds_.high);
  }
  return cell.below > 0 ? std::sqrt(cell.below * cell.above) : cell.above / 2;
}

ThresholdSearch::Known ThresholdSearch::after(Known cell, double tried, bool is_enough) const {
  cell.is_beyond = !is_enough && rises(cell) && tried == bounds_.high;
  cell.tried_low = true;
  (is_enough ? cell.above : cell.below) = tried;
  return cell;
}

/// Upwards they are a line, between two bounds a tree: its halves follow a try.
std::size_t ThresholdSearch::follower(std::size_t number, bool rises, bool is_enough) {
  return rises ? number + 1 : 2 * number + (is_enough ? 1 : 2);
}

std::optional<std::vector<double>> ThresholdSearch::next(std::size_t tries) {
  tried_.assign(tries * known_.size(), bounds_.low);
  bool is_any_sought = false;
  std::vector<Known> line(tries);  // what each try would begin with
  for (std::size_t cell = 0; cell < known_.size(); ++cell) {
    if (!is_sought(known_[cell])) continue;
    is_any_sought = true;
    std::ranges::fill(line, known_[cell]);
    const bool rises = this->rises(known_[cell]);
    for (std::size_t number = 0; number < tries; ++number) {
      const double tried = next_of(line[number]);
      tried_[number * known_.size() + cell] = tried;
      for (const bool is_enough : {false, true})
        if (const std::size_t next = follower(number, rises, is_enough);
            next < tries && !(rises && is_enough)) {
          line[next] = after(line[number], tried, is_enough);
          if (!is_sought(line[next])) line[next] = line[number];
        }
    }
  }
  return is_any_sought ? std::optional(tried_) : std::nullopt;
}

void ThresholdSearch::tell(const std::vector<bool>& is_enough) {
  for (std::size_t cell = 0; cell < known_.size(); ++cell) {
    Known& known = known_[cell];
    const bool rises = this->rises(known);
    for (std::size_t at = cell; at < is_enough.size() && is_sought(known);) {
      known = after(known, tried_[at], is_enough[at]);
      if (rises && is_enough[at]) break;  // those behind it went on upwards
      at = follower(at / known_.size(), rises, is_enough[at]) * known_.size() + cell;
    }
  }
}

std::vector<double> ThresholdSearch::found() const {
  std::vector<double> all;
  for (const Known& cell : known_) all.push_back(cell.above);
  return all;
}

}  // namespace hillock::session
