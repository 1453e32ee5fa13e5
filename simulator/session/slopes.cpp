#include "simulator/session/slopes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/errors/errors.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

constexpr double relative_step = 1e-3;
constexpr std::size_t most_kept = 10'000'000;  // slopes; of more they are found again

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
Stencil stencil_at(double number) {
  if (number != 0)
    return {{{1, -1, 2.0 / 3}, {2, -2, -1.0 / 12}}, std::abs(number) * relative_step};
  // Less may be out of limits.
  return {{{1, 0, 4}, {2, 0, -3}, {3, 0, 4.0 / 3}, {4, 0, -0.25}}, relative_step};
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
  const Stencil stencil = stencil_at(values_[value].second);
  const auto numbers_at = [&](double steps) {
    if (steps == 0) return numbers_;
    ModelValues beside = values_;
    beside[value].second += steps * stencil.step;
    return read(beside);
  };
  Numbers sums(numbers_.size());
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

/// All values are moved at once, each ahead in some readings and behind in others that no other
/// value shares: a number that knows only these two is that value's alone. What is 0 is not behind,
/// which may be out of limits, but as it is.
class Slopes::Together {
 public:
  Together(const Slopes& all, const Read& read)
      : values_(all.values_), numbers_(all.numbers_), read_(read), threads_(all.threads_) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const double number = values_[k].second;
      is_0_.push_back(number == 0);
      // No two in a ratio that somebody may have thought of.
      const double some = 0.6180339887498949 * static_cast<double>(k);
      steps_.push_back((number == 0 ? 1 : std::abs(number)) * relative_step *
                       (0.75 + 0.5 * (some - std::floor(some))));
    }
  }

  Found found() {
    find_owners();
    // What is bent knows two more numbers, or three.
    std::vector<bool> is_bent = is_0_;
    for (const Owned& one : owned_)
      if (is_bent_between(one)) is_bent[one.value] = true;
    const auto further = [&](std::size_t count, double first, double second) {
      return readings(count, [&](std::size_t reading, std::size_t k) {
        return !is_bent[k] ? 0 : is_0_[k] ? first + double(reading) : reading == 0 ? 2 : second;
      });
    };
    std::vector<Numbers> more;
    if (std::ranges::find(is_bent, true) != is_bent.end()) more = further(2, 2, -2);
    const auto is_bent_at_0 = [&](const Owned& one) {
      return is_0_[one.value] && !is_on_line(number(one), one.ahead, more[0][one.number]);
    };
    if (std::ranges::any_of(owned_, is_bent_at_0)) more.push_back(std::move(further(1, 4, 2)[0]));
    for (std::size_t k = 0; k < values_.size(); ++k) found_.of_values.push_back({steps_[k], {}});
    for (const Owned& one : owned_) {
      double slope = (one.ahead - one.behind) / (is_0_[one.value] ? 1 : 2);
      const auto at = [&](std::size_t reading) { return more[reading][one.number] - number(one); };
      if (is_bent_at_0(one))
        slope = 4 * slope - 3 * at(0) + 4.0 / 3 * at(1) - 0.25 * at(2);
      else if (is_bent_between(one))
        slope = (8 * (one.ahead - one.behind) - (at(0) - at(1))) / 12;
      found_.of_values[one.value].numbers.push_back({one.number, slope});
    }
    return std::move(found_);
  }

 private:
  struct Owned {
    std::size_t number, value;
    double ahead, behind;
  };

  double number(const Owned& one) const { return numbers_[one.number]; }
  bool is_bent_between(const Owned& one) const {
    return !is_0_[one.value] && !is_on_line(one.behind, number(one), one.ahead);
  }

  template <class Steps>
  std::vector<Numbers> readings(std::size_t count, const Steps& steps) {
    std::vector<Numbers> all(count);
    simulator::parallel_for(count, threads_, [&](std::size_t reading) {
      ModelValues beside = values_;
      for (std::size_t k = 0; k < beside.size(); ++k)
        beside[k].second += steps(reading, k) * steps_[k];
      all[reading] = read_(beside);
    });
    return all;
  }

  void find_owners() {
    const auto bits = static_cast<std::size_t>(std::bit_width(values_.size()));
    // In the first one all are ahead, so that none is behind where another is ahead throughout.
    const std::vector<Numbers> all = readings(1 + bits, [&](std::size_t reading, std::size_t k) {
      const bool is_behind = reading > 0 && (k + 1) >> (reading - 1) & 1;
      return !is_behind ? 1 : is_0_[k] ? 0 : -1;
    });
    for (std::size_t n = 0; n < numbers_.size(); ++n) {
      const double ahead = all[0][n];
      double behind = ahead;
      std::uint64_t differs = 0;
      bool are_two = true;
      for (std::size_t b = 0; b < bits; ++b) {
        const double here = all[b + 1][n];
        if (here == ahead) continue;
        are_two = are_two && (differs == 0 || here == behind);
        behind = here;
        differs |= std::uint64_t{1} << b;
      }
      if (differs == 0 && ahead == numbers_[n]) continue;
      if (differs == 0 || differs > values_.size() || !are_two)
        found_.shared.push_back(n);
      else
        owned_.push_back({n, differs - 1, ahead, behind});
    }
  }

  const ModelValues& values_;
  const Numbers& numbers_;
  const Read& read_;
  int threads_;
  std::vector<bool> is_0_;     ///< [value]
  std::vector<double> steps_;  ///< [value]
  std::vector<Owned> owned_;
  Found found_;
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
  if ((together_ ? together_->size() : 0) + (one_by_one_ ? one_by_one_->size() : 0) > most_kept) {
    together_.reset();
    one_by_one_.reset();
  }
  return all;
}

}  // namespace hillock::session
