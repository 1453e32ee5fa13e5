#include "network/part_draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace hillock::network {

namespace {

__extension__ using WideProduct = unsigned __int128;

/// So few draws are made one by one.
constexpr std::uint64_t few_draws = 16;

/// log(n!) less Stirling's formula of it.
double stirling_rest(std::uint64_t n) {
  constexpr std::size_t listed = 16;
  static const std::array<double, listed> first = [] {
    std::array<double, listed> rests{};
    double log_factorial = 0;
    for (std::size_t i = 1; i < listed; ++i) {
      const auto x = static_cast<double>(i);
      log_factorial += std::log(x);
      rests[i] = log_factorial - (x + 0.5) * std::log(x) + x - 0.5 * std::log(2 * std::numbers::pi);
    }
    return rests;
  }();
  if (n < listed) return first[n];
  const auto x = static_cast<double>(n);
  const double square = 1 / (x * x);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - square / 1680) * square) * square) / x;
}

/// x log(x / mean) + mean - x, also where x is near the mean (Loader 2000).
double deviance(double x, double mean) {
  const double difference = x - mean, sum = x + mean;
  if (std::abs(difference) >= 0.1 * sum) return x * std::log(x / mean) - difference;
  // With v = difference / sum, log(x / mean) = 2 (v + v³/3 + v⁵/5 + …).
  const double v = difference / sum, square = v * v;
  double total = difference * v, power = 2 * x * v;
  for (int j = 3; j < 1000; j += 2) {
    power *= square;
    const double next = total + power / j;
    if (next == total) break;
    total = next;
  }
  return total;
}

/// The logarithm of the probability of x hits among n, each with p = 1 - q (Loader 2000).
double log_binomial(std::uint64_t x, std::uint64_t n, double p, double q) {
  const auto hits = static_cast<double>(x), all = static_cast<double>(n);
  if (x == 0) return p < 0.5 ? all * std::log1p(-p) : all * std::log(q);
  if (x == n) return q < 0.5 ? all * std::log1p(-q) : all * std::log(p);
  const auto rest = static_cast<double>(n - x);
  return stirling_rest(n) - stirling_rest(x) - stirling_rest(n - x) - deviance(hits, all * p) -
         deviance(rest, all * q) - 0.5 * std::log(2 * std::numbers::pi * hits * (rest / all));
}

/// Draws from low … high where the probabilities' logarithm log_p is concave, greatest at `mode`:
/// p(mode + i) ≤ p(mode) min(1, exp(1 - p(mode) |i|)) (Devroye 1986, chapter X.1).
template <class LogP>
std::uint64_t draw_log_concave(RandomStream& draws, std::uint64_t low, std::uint64_t high,
                               std::uint64_t mode, const LogP& log_p) {
  const double log_top = log_p(mode), top = std::exp(log_top), flat = 1 + top / 2;
  while (true) {
    const double where = draws.uniform() * (1 + flat);
    const double tail = where < flat ? 0 : draws.exponential();
    const double distance = std::round((where < flat ? where : flat + tail) / top);
    const bool is_above = draws.uniform() < 0.5;
    const double accepted = std::log(draws.uniform()) - tail;
    if (!(distance <= static_cast<double>(is_above ? high - mode : mode - low))) continue;
    const auto steps = static_cast<std::uint64_t>(distance);
    if (steps > (is_above ? high - mode : mode - low)) continue;
    const std::uint64_t x = is_above ? mode + steps : mode - steps;
    if (accepted <= log_p(x) - log_top) return x;
  }
}

}  // namespace

std::uint64_t draw_binomial(RandomStream& draws, std::uint64_t number, std::uint64_t part,
                            std::uint64_t all) {
  if (number == 0 || part == 0) return 0;
  if (part == all) return number;
  if (number <= few_draws) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < number; ++i) hits += draws.below(all) < part;
    return hits;
  }
  const double p = static_cast<double>(part) / static_cast<double>(all);
  const double q = static_cast<double>(all - part) / static_cast<double>(all);
  const auto mode = static_cast<std::uint64_t>((WideProduct{number} + 1) * part / all);
  return draw_log_concave(draws, 0, number, std::min(mode, number),
                          [&](std::uint64_t x) { return log_binomial(x, number, p, q); });
}

std::uint64_t draw_hypergeometric(RandomStream& draws, std::uint64_t number, std::uint64_t part,
                                  std::uint64_t all) {
  if (number == 0 || part == 0) return 0;
  if (part == all) return number;
  if (number == all) return part;
  // Those that are of the part and drawn: the two may change places.
  const std::uint64_t fewer = std::min(number, part), more = std::max(number, part);
  if (fewer <= few_draws) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < fewer; ++i) hits += draws.below(all - i) < more - hits;
    return hits;
  }
  const std::uint64_t others = all - part;
  const std::uint64_t low = number > others ? number - others : 0;
  const auto mode = static_cast<std::uint64_t>((WideProduct{number} + 1) * (WideProduct{part} + 1) /
                                               (WideProduct{all} + 2));
  const double p = static_cast<double>(number) / static_cast<double>(all);
  const double q = static_cast<double>(all - number) / static_cast<double>(all);
  const double of_all = log_binomial(number, all, p, q);
  return draw_log_concave(draws, low, fewer, std::clamp(mode, low, fewer), [&](std::uint64_t x) {
    return log_binomial(x, part, p, q) + log_binomial(number - x, others, p, q) - of_all;
  });
}

}  // namespace hillock::network
