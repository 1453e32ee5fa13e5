#include "simulator/session/slopes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/errors/errors.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::session {

namespace {

using Numbers = std::vector<double>;
using Read = std::function<Numbers(const ModelValues&)>;

constexpr double relative_step = 1e-3;

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

/// Whether the first pair of differences suffices: behind may be the middle itself, which says
/// nothing.
bool are_on_lines(const Numbers& behind, const Numbers& middle, const Numbers& ahead) {
  if (behind == middle) return ahead == middle;
  for (std::size_t n = 0; n < middle.size(); ++n)
    if (!is_on_line(behind[n], middle[n], ahead[n])) return false;
  return true;
}

double by_one(const ModelValues& values, std::size_t k, const Beginning& beginning,
              const Read& read) {
  const Stencil stencil = stencil_at(values[k].second);
  const auto numbers_at = [&](double steps) {
    if (steps == 0) return beginning.numbers;
    ModelValues beside = values;
    beside[k].second += steps * stencil.step;
    return read(beside);
  };
  double sum = 0;
  for (const Stencil::Pair& pair : stencil.pairs) {
    const Numbers ahead = numbers_at(pair.ahead), behind = numbers_at(pair.behind);
    double product = 0;
    for (std::size_t n = 0; n < ahead.size(); ++n)
      if (ahead[n] != behind[n]) product += beginning.derivatives[n] * (ahead[n] - behind[n]);
    if (are_on_lines(behind, beginning.numbers, ahead))
      return product / (pair.ahead - pair.behind) / stencil.step;
    sum += pair.share * product;
  }
  return sum / stencil.step;
}

/// All values are moved at once, each ahead in some readings and behind in others that no other
/// value shares: a number that knows only these two is that value's alone. What is 0 is not behind,
/// which may be out of limits, but as it is.
class Together {
 public:
  Together(const ModelValues& values, const Beginning& beginning, const Read& read, int threads)
      : values_(values), beginning_(beginning), read_(read), threads_(threads) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double number = values[k].second;
      is_0_.push_back(number == 0);
      // No two in a ratio that somebody may have thought of.
      const double some = 0.6180339887498949 * static_cast<double>(k);
      steps_.push_back((number == 0 ? 1 : std::abs(number)) * relative_step *
                       (0.75 + 0.5 * (some - std::floor(some))));
    }
  }

  /// [value] nothing where some number depends on several.
  std::optional<std::vector<double>> derivatives() {
    if (values_.size() < 2 || !find_owners()) return std::nullopt;
    // What is bent knows two more numbers, or three.
    std::vector<bool> is_bent = is_0_;
    for (const Owned& one : owned_)
      if (!is_0_[one.value] && !is_on_line(one.behind, number(one), one.ahead))
        is_bent[one.value] = true;
    const auto further = [&](std::size_t count, double first, double second) {
      return readings(count, [&](std::size_t reading, std::size_t k) {
        return !is_bent[k] ? 0 : is_0_[k] ? first + double(reading) : reading == 0 ? 2 : second;
      });
    };
    std::vector<Numbers> more;
    if (std::ranges::find(is_bent, true) != is_bent.end()) more = further(2, 2, -2);
    std::vector<bool> is_bent_at_0(values_.size());
    for (const Owned& one : owned_)
      if (is_0_[one.value] && !is_on_line(number(one), one.ahead, more[0][one.number]))
        is_bent_at_0[one.value] = true;
    if (std::ranges::find(is_bent_at_0, true) != is_bent_at_0.end())
      more.push_back(std::move(further(1, 4, 2).front()));
    std::vector<double> sums(values_.size());
    for (const Owned& one : owned_) {
      double slope = (one.ahead - one.behind) / (is_0_[one.value] ? 1 : 2);
      const auto at = [&](std::size_t reading) { return more[reading][one.number] - number(one); };
      if (is_bent_at_0[one.value])
        slope = 4 * slope - 3 * at(0) + 4.0 / 3 * at(1) - 0.25 * at(2);
      else if (is_bent[one.value] && !is_0_[one.value])
        slope = (8 * (one.ahead - one.behind) - (at(0) - at(1))) / 12;
      sums[one.value] += beginning_.derivatives[one.number] * slope / steps_[one.value];
    }
    return sums;
  }

 private:
  struct Owned {
    std::size_t number, value;
    double ahead, behind;
  };

  double number(const Owned& one) const { return beginning_.numbers[one.number]; }

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

  /// False where a number depends on several values.
  bool find_owners() {
    const auto bits = static_cast<std::size_t>(std::bit_width(values_.size()));
    // In the first one all are ahead, so that none is behind where another is ahead throughout.
    const std::vector<Numbers> all = readings(1 + bits, [&](std::size_t reading, std::size_t k) {
      const bool is_behind = reading > 0 && (k + 1) >> (reading - 1) & 1;
      return !is_behind ? 1 : is_0_[k] ? 0 : -1;
    });
    for (std::size_t n = 0; n < beginning_.numbers.size(); ++n) {
      if (beginning_.derivatives[n] == 0) continue;
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
      if (differs == 0 && ahead == beginning_.numbers[n]) continue;
      if (differs == 0 || differs > values_.size() || !are_two) return false;
      owned_.push_back({n, differs - 1, ahead, behind});
    }
    return true;
  }

  const ModelValues& values_;
  const Beginning& beginning_;
  const Read& read_;
  int threads_;
  std::vector<bool> is_0_;     ///< [value]
  std::vector<double> steps_;  ///< [value]
  std::vector<Owned> owned_;
};

}  // namespace

std::vector<double> by_values(const ModelValues& values, const Beginning& beginning,
                              const Read& read, int threads) {
  std::optional<std::vector<double>> together;
  try {
    together = Together(values, beginning, read, threads).derivatives();
  } catch (const UsageError&) {  // one of them says so by itself, with its path
  } catch (const InvalidModel&) {
  }
  std::vector<double> all(values.size());
  simulator::parallel_for(all.size(), threads, [&](std::size_t k) {
    const std::string& path = values[k].first;
    try {
      all[k] = together ? (*together)[k] : by_one(values, k, beginning, read);
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("there is no derivative by {}: it {}", path, problem.what()));
    }
    if (!std::isfinite(all[k]))
      throw UsageError(
          fmt::format("there is no derivative by {}: what comes out is no finite number", path));
  });
  return all;
}

}  // namespace hillock::session
