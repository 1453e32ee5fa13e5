#include "simulator/session/slopes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "core/errors/errors.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

constexpr double relative_step = 1e-3;
/// Slopes; of more, and more than there are numbers, they are found again.
constexpr std::size_t most_kept = 10'000'000;

/// Whether a number is midway, to rounding, between what it is a step behind and ahead.
bool is_on_line(double behind, double middle, double ahead) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return std::abs(ahead + behind - 2 * middle) <= rounding * std::abs(middle);
}

/// A derivative of fourth order: a sum of differences over a step, of what is so many steps from
/// here. What does not change has none to the last digit.
struct Stencil {
  struct Pair {
    double ahead, behind, share;
  };
  std::vector<Pair> pairs;
  double step;
};
/// The first that no limit of the model is in the way of is to be taken.
std::vector<Stencil> stencils_at(double number) {
  const double step = (number == 0 ? 1 : std::abs(number)) * relative_step;
  const Stencil around{{{1, -1, 2.0 / 3}, {2, -2, -1.0 / 12}}, step};
  const Stencil ahead{{{1, 0, 4}, {2, 0, -3}, {3, 0, 4.0 / 3}, {4, 0, -0.25}}, step};
  const Stencil behind{{{-1, 0, -4}, {-2, 0, 3}, {-3, 0, -4.0 / 3}, {-4, 0, 0.25}}, step};
  // What is 0 is mostly not to be less.
  return number == 0 ? std::vector{ahead, behind} : std::vector{around, behind, ahead};
}

using Numbers = Slopes::Numbers;

/// Whether the first pair of differences suffices: behind may be the middle itself, which says
/// nothing.
bool are_on_lines(const Numbers& behind, const Numbers& middle, const Numbers& ahead) {
  if (behind == middle) return ahead == middle;
  for (std::size_t n = 0; n < middle.size(); ++n)
    if (!is_on_line(behind[n], middle[n], ahead[n])) return false;
  return true;
}

}  // namespace

std::size_t Slopes::Found::size() const {
  std::size_t size = 0;
  for (const OfValue& one : of_values) size += one.numbers.size();
  return size;
}

Slopes::OfValue Slopes::by_one(std::size_t value, const Read& read) const {
  const auto along = [&](const Stencil& stencil) {
    const auto numbers_at = [&](double steps) {
      if (steps == 0) return numbers_;
      ModelValues beside = values_;
      beside[value].second += steps * stencil.step;
      return read(beside);
    };
    Numbers sums(numbers_.size(), 0.0);
    OfValue found{stencil.step, {}};
    for (const Stencil::Pair& pair : stencil.pairs) {
      const Numbers ahead = numbers_at(pair.ahead), behind = numbers_at(pair.behind);
      const bool suffices = are_on_lines(behind, numbers_, ahead);
      for (std::size_t n = 0; n < sums.size(); ++n) {
        if (suffices) sums[n] = 0;
        if (ahead[n] != behind[n]) sums[n] += (suffices ? 1 : pair.share) * (ahead[n] - behind[n]);
      }
      if (suffices) found.divisor *= pair.ahead - pair.behind;
      if (suffices) break;
    }
    for (std::size_t n = 0; n < sums.size(); ++n)
      if (sums[n] != 0) found.numbers.push_back({n, sums[n]});
    return found;
  };
  std::string problem;
  for (const Stencil& stencil : stencils_at(values_[value].second)) try {
      return along(stencil);
    } catch (const InvalidModel& beside) {
      if (problem.empty()) problem = beside.what();
    }
  throw UsageError("cannot be a little more or less: " + problem);
}

Slopes::Found Slopes::one_by_one(const Read& read) const {
  Found found;
  found.of_values.resize(values_.size());
  simulator::parallel_for(values_.size(), threads_, [&](std::size_t k) {
    try {
      found.of_values[k] = by_one(k, read);
    } catch (const UsageError& problem) {
      throw UsageError(
          fmt::format("there is no derivative by {}: it {}", values_[k].first, problem.what()));
    }
  });
  return found;
}

/// All values are moved at once, each by four numbers of steps that it has in some readings each:
/// no two values change at the same readings alone. So a number that takes four values, where one
/// value of the model does, is that one's alone.
class Slopes::Together {
 public:
  Together(const Slopes& all, const Read& read) : all_(all) {
    for (std::size_t k = 0; k < all.values_.size(); ++k) {
      const double number = all.values_[k].second;
      // No two in a ratio that somebody may have thought of.
      const double some = 0.6180339887498949 * static_cast<double>(k);
      steps_.push_back((number == 0 ? 1 : std::abs(number)) * relative_step *
                       (0.75 + 0.5 * (some - std::floor(some))));
    }
    for (std::size_t count = 5; codes_.size() < all.values_.size(); ++count) {
      codes_.clear();
      add_codes({}, 0, count);
    }
    for (std::size_t k = 0; k < codes_.size(); ++k) value_of_[codes_[k]] = k;
    readings_.resize(codes_[0].size());
    simulator::parallel_for(readings_.size(), all.threads_, [&](std::size_t reading) {
      ModelValues beside = all.values_;
      for (std::size_t k = 0; k < beside.size(); ++k)
        beside[k].second += multiples(k)[static_cast<std::size_t>(codes_[k][reading])] * steps_[k];
      readings_[reading] = read(beside);
    });
  }

  Found found() const {
    constexpr std::size_t of_part = 1 << 16;
    std::vector<Found> parts((all_.numbers_.size() + of_part - 1) / of_part);
    simulator::parallel_for(parts.size(), all_.threads_, [&](std::size_t p) {
      parts[p] = found_among(p * of_part, std::min((p + 1) * of_part, all_.numbers_.size()));
    });
    Found found;
    for (const double step : steps_) found.of_values.push_back({step, {}});
    for (const Found& part : parts) {
      for (std::size_t k = 0; k < steps_.size(); ++k) {
        std::vector<OfNumber>& its = found.of_values[k].numbers;
        its.insert(its.end(), part.of_values[k].numbers.begin(), part.of_values[k].numbers.end());
      }
      found.shared.insert(found.shared.end(), part.shared.begin(), part.shared.end());
    }
    return found;
  }

 private:
  using Code = std::string;  ///< [reading] which of the multiples
  using Multiples = std::array<double, 4>;

  /// Of numbers first to last - 1.
  Found found_among(std::size_t first, std::size_t last) const {
    Found found;
    found.of_values.resize(steps_.size());
    for (std::size_t n = first; n < last; ++n) {
      const auto is_here = [&](const Numbers& numbers) { return numbers[n] == all_.numbers_[n]; };
      if (std::ranges::all_of(readings_, is_here)) continue;
      Code code;
      std::vector<double> taken;  // [multiple]
      for (const Numbers& numbers : readings_) {
        const auto same = std::ranges::find(taken, numbers[n]);
        code += static_cast<char>(same - taken.begin());
        if (same == taken.end()) taken.push_back(numbers[n]);
      }
      const auto owner = value_of_.find(code);
      if (owner == value_of_.end())
        found.shared.push_back(n);
      else
        found.of_values[owner->second].numbers.push_back(
            {n, slope(owner->second, all_.numbers_[n], taken)});
    }
    return found;
  }

  /// Of steps. What is 0 is not behind, which may be out of limits.
  const Multiples& multiples(std::size_t value) const {
    static constexpr Multiples around{1, -1, 2, -2}, ahead{1, 2, 3, 4};
    return all_.values_[value].second == 0 ? ahead : around;
  }

  /// Ways to have all four in so many readings, each new one in its order.
  void add_codes(const Code& begun, char taken, std::size_t count) {
    if (codes_.size() == all_.values_.size()) return;
    if (begun.size() == count) {
      if (taken == 4) codes_.push_back(begun);
      return;
    }
    for (char next = 0; next <= std::min<char>(taken, 3); ++next)
      add_codes(begun + next, std::max<char>(taken, static_cast<char>(next + 1)), count);
  }

  /// Over a step: of fourth order, but where what is nearest is on a line to rounding.
  double slope(std::size_t value, double here, const std::vector<double>& at) const {
    if (all_.values_[value].second != 0)
      return is_on_line(at[1], here, at[0]) ? (at[0] - at[1]) / 2
                                            : (8 * (at[0] - at[1]) - (at[2] - at[3])) / 12;
    const auto from = [&](std::size_t k) { return at[k] - here; };
    return is_on_line(here, at[0], at[1])
               ? from(0)
               : 4 * from(0) - 3 * from(1) + 4.0 / 3 * from(2) - 0.25 * from(3);
  }

  const Slopes& all_;
  std::vector<double> steps_;  ///< [value]
  std::vector<Code> codes_;    ///< [value]
  std::map<Code, std::size_t> value_of_;
  std::vector<Numbers> readings_;
};

std::vector<double> Slopes::derivatives(const Numbers& by_numbers, const Read& read) {
  if (!together_ && !one_by_one_ && values_.size() > 1) try {
      together_ = Together(*this, read).found();
    } catch (const UsageError&) {  // one of them says so by itself, with its path
    } catch (const InvalidModel&) {
    }
  const auto counts = [&](std::size_t number) { return by_numbers[number] != 0; };
  const bool are_apart = together_ && std::ranges::none_of(together_->shared, counts);
  if (!are_apart && !one_by_one_) one_by_one_ = one_by_one(read);
  std::vector<double> all;
  for (const OfValue& value : (are_apart ? *together_ : *one_by_one_).of_values) {
    double sum = 0;
    for (const OfNumber& one : value.numbers)
      if (counts(one.number)) sum += by_numbers[one.number] * one.slope / value.divisor;
    if (!std::isfinite(sum))
      throw UsageError(
          fmt::format("there is no derivative by {}: what comes out is no finite number",
                      values_[all.size()].first));
    all.push_back(sum);
  }
  if ((together_ ? together_->size() : 0) + (one_by_one_ ? one_by_one_->size() : 0) >
      std::max(most_kept, numbers_.size())) {
    together_.reset();
    one_by_one_.reset();
  }
  return all;
}

}  // namespace hillock::session
