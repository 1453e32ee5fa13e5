// fixed_total_number divided among targets: exact sums, and the distributions of drawing pair by
// pair.

#include "network/total_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

#include "network/connectivity.hpp"
#include "network/part_draws.hpp"

namespace hillock::network {
namespace {

using models::Autapses;
using models::Multapses;

struct Case {
  std::uint64_t cells, from, to;  ///< sources and targets: the slices [from, cells), [0, to)
  std::uint64_t number;
  Multapses multapses = Multapses::forbidden;
  Autapses autapses = Autapses::forbidden;
};

models::Network network_of(const Case& c, std::uint64_t seed = 11) {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = seed;
  network.cells.resize(1);
  network.populations.push_back({"a", 0, c.cells, {}, {}});
  models::Projection p;
  p.from = {PopulationId(0), c.from, c.cells, {}};
  p.to = {PopulationId(0), 0, c.to, {}};
  p.connect.kind = models::ConnectionRule::Kind::fixed_total_number;
  p.connect.number = c.number;
  p.connect.multapses = c.multapses;
  p.connect.autapses = c.autapses;
  p.weight = 0.5;
  p.delay.base_ms = 1.0;
  network.projections = {p};
  return network;
}

void on_threads(std::size_t n, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = n; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
}

const Case cases[] = {{1000, 0, 1000, 150000},
                      {5000, 0, 5000, 150000, Multapses::allowed},
                      {300, 0, 300, 300 * 299},  // all there are
                      {300, 0, 300, 90000, Multapses::forbidden, Autapses::allowed},
                      {7, 0, 7, 40},
                      {1, 0, 1, 3, Multapses::allowed, Autapses::allowed},  // one pair again
                      {100000, 5, 70000, 50000},                            // few of many
                      {1000, 600, 650, 20000, Multapses::allowed},          // slices that overlap
                      {1000, 600, 650, 20000, Multapses::forbidden, Autapses::allowed}};

TEST(TotalNumber, IsExactAndRepeatsNoPairOnAnyThread) {
  for (const Case& c : cases) {
    const models::Network network = network_of(c);
    const Connector one(network, 0), many(network, 0, on_threads);
    Connector::Scratch scratch, other;
    std::uint64_t sum = 0;
    for (std::uint64_t t = 0; t < c.to; ++t) {
      const auto sources = one.sources(t, scratch);
      sum += sources.size();
      ASSERT_TRUE(std::ranges::is_sorted(sources));
      const bool repeats = std::ranges::adjacent_find(sources) != sources.end();
      ASSERT_FALSE(repeats && c.multapses == Multapses::forbidden);
      const bool has_itself = std::ranges::count(sources, t) > 0;
      ASSERT_FALSE(has_itself && c.autapses == Autapses::forbidden);
      for (const std::uint32_t s : sources) ASSERT_TRUE(s >= c.from && s < c.cells);
      ASSERT_TRUE(std::ranges::equal(sources, many.sources(t, other))) << c.number << ", " << t;
    }
    EXPECT_EQ(sum, c.number);
  }
}

/// [target] how many connections lead there, drawn pair by pair.
std::vector<std::uint64_t> one_after_the_other(const Case& c, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::stimulus, {});
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;
  std::vector<std::uint64_t> counts(c.to, 0);
  for (std::uint64_t found = 0; found < c.number;) {
    const std::uint64_t s = c.from + stream.below(c.cells - c.from), t = stream.below(c.to);
    if (c.autapses == Autapses::forbidden && s == t) continue;
    if (c.multapses == Multapses::forbidden && !known.emplace(s, t).second) continue;
    ++counts[t], ++found;
  }
  return counts;
}

TEST(TotalNumber, CountsOfTargetsAreDistributedAsOfPairsDrawnOneByOne) {
  // 20 targets, of which 12 are no sources; every other pair is taken.
  for (const auto multapses : {Multapses::forbidden, Multapses::allowed})
    for (const auto autapses : {Autapses::forbidden, Autapses::allowed}) {
      const Case c{40, 12, 20, 270, multapses, autapses};
      constexpr std::size_t runs = 4000;
      std::vector<double> sum(20), square(20), expected_sum(20), expected_square(20);
      double together = 0, expected_together = 0;  // of two neighbours
      for (std::size_t run = 0; run < runs; ++run) {
        const models::Network network = network_of(c, run);
        const ConnectionDraws draws(network, 0);
        const auto counts = counts_of_total(network.projections[0], draws, {0, 20}, one_by_one);
        const auto expected = one_after_the_other(c, run);
        for (std::size_t t = 0; t < 20; ++t) {
          const double x = counts[t], y = static_cast<double>(expected[t]);
          sum[t] += x / runs, square[t] += x * x / runs;
          expected_sum[t] += y / runs, expected_square[t] += y * y / runs;
        }
        together += (counts[4] - 13.5) * (counts[5] - 13.5) / runs;
        expected_together += (static_cast<double>(expected[4]) - 13.5) *
                             (static_cast<double>(expected[5]) - 13.5) / runs;
      }
      for (std::size_t t = 0; t < 20; ++t) {
        const double variance = square[t] - sum[t] * sum[t];
        const double expected = expected_square[t] - expected_sum[t] * expected_sum[t];
        // Statistical: n = 4000 a side; five sd of the difference of two means, and of two
        // variances of numbers that are about normal.
        EXPECT_NEAR(sum[t], expected_sum[t], 5 * std::sqrt(2 * expected / runs)) << t;
        EXPECT_NEAR(variance / expected, 1, 5 * std::sqrt(4.0 / runs)) << t;
      }
      // The sd of a product of two such numbers is about their variance, at most 13.
      EXPECT_NEAR(together, expected_together, 5 * 13 * std::sqrt(2.0 / runs));
    }
}

/// Of n targets, whatever lies between them: what one has more, each of the others has 1/(n-1)
/// less.
// Statistical: 2000 seeds; five and a half standard errors of each correlation.
TEST(TotalNumber, CountsOfTwoTargetsDependOnEachOtherByTheirSumAlone) {
  constexpr std::size_t targets = 16, seeds = 2000;
  std::vector<std::vector<double>> counts(targets, std::vector<double>(seeds));
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const models::Network network =
        network_of({20, 0, targets, 800, Multapses::allowed, Autapses::allowed}, seed + 1);
    const Connector connector(network, 0);
    Connector::Scratch scratch;
    for (std::size_t t = 0; t < targets; ++t)
      counts[t][seed] = static_cast<double>(connector.sources(t, scratch).size()) - 800.0 / targets;
  }
  const auto product = [&](std::size_t a, std::size_t b) {
    return std::inner_product(counts[a].begin(), counts[a].end(), counts[b].begin(), 0.0);
  };
  for (std::size_t a = 0; a < targets; ++a) {
    // Of a binomial distribution's variance, whose own standard error is sqrt(2/seeds) of it.
    EXPECT_NEAR(product(a, a) / seeds, 800.0 / targets * (1 - 1.0 / targets),
                5.5 * std::sqrt(2.0 / seeds) * 50);
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_NEAR(product(a, b) / std::sqrt(product(a, a) * product(b, b)), -1.0 / (targets - 1),
                  5.5 / std::sqrt(double{seeds}))
          << a << ' ' << b;
  }
}

TEST(TotalNumber, EverySourceIsTakenEquallyOften) {
  const models::Network network = network_of({200, 0, 200, 12000, Multapses::forbidden});
  std::vector<double> of_source(200, 0);
  for (const Connection& c : connect(network, 0)) ++of_source[c.source];
  double spread = 0;
  for (const double n : of_source) spread += (n - 60) * (n - 60) / 200;
  // Statistical: hypergeometric, p = 60/199, variance 60·(1 - p); n = 200, five sd of a variance.
  EXPECT_NEAR(spread / (60 * (1 - 60.0 / 199)), 1, 5 * std::sqrt(2.0 / 200));
}

/// Compares frequencies with probabilities: chi squared of as many cells as are likely enough.
template <class Draw>
void expect_frequencies(const std::vector<double>& probabilities, const Draw& draw) {
  constexpr int n = 40000;
  std::vector<double> found(probabilities.size(), 0);
  for (std::uint64_t i = 0; i < n; ++i) {
    RandomStream stream(3, Purpose::connect, {i, 5, 1});
    const std::uint64_t x = draw(stream);
    ASSERT_LT(x, found.size());
    found[x] += 1;
  }
  double chi2 = 0, rest = 0, rest_found = 0;
  int degrees = 0;
  for (std::size_t x = 0; x < found.size(); ++x) {
    const double expected = n * probabilities[x];
    if (expected < 10) {
      rest += expected, rest_found += found[x];
      continue;
    }
    chi2 += (found[x] - expected) * (found[x] - expected) / expected;
    ++degrees;
  }
  EXPECT_NEAR(rest_found, rest, 5 * std::sqrt(rest) + 5);
  // Statistical: mean `degrees`, sd sqrt(2 degrees); five of them, and a few for few degrees.
  EXPECT_LT(chi2, degrees + 5 * std::sqrt(2.0 * degrees) + 5);
}

double log_choose(std::uint64_t n, std::uint64_t k) {
  return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
         std::lgamma(static_cast<double>(n - k) + 1);
}

TEST(PartDraws, BinomialHasItsProbabilities) {
  struct Of {
    std::uint64_t number, part, all;
  };
  for (const Of of :
       {Of{16, 1, 3}, {17, 1, 3}, {40, 39, 40}, {300, 2, 300}, {500, 1, 2}, {100000, 3, 10000}}) {
    const double p = static_cast<double>(of.part) / static_cast<double>(of.all);
    std::vector<double> probabilities;
    for (std::uint64_t x = 0; x <= std::min<std::uint64_t>(of.number, 2000); ++x)
      probabilities.push_back(std::exp(log_choose(of.number, x) +
                                       static_cast<double>(x) * std::log(p) +
                                       static_cast<double>(of.number - x) * std::log1p(-p)));
    expect_frequencies(probabilities, [&](RandomStream& stream) {
      return draw_binomial(stream, of.number, of.part, of.all);
    });
  }
}

TEST(PartDraws, HypergeometricHasItsProbabilities) {
  struct Of {
    std::uint64_t number, part, all;
  };
  for (const Of of : {Of{10, 30, 50},
                      {30, 10, 50},
                      {20, 20, 40},
                      {39, 21, 40},
                      {39, 39, 41},
                      {200, 300, 1000},
                      {18, 5000, 10000},
                      {900, 950, 1000},
                      {500, 40, 100000}}) {
    std::vector<double> probabilities;
    for (std::uint64_t x = 0; x <= std::min(of.number, of.part); ++x)
      probabilities.push_back(of.number - x > of.all - of.part
                                  ? 0
                                  : std::exp(log_choose(of.part, x) +
                                             log_choose(of.all - of.part, of.number - x) -
                                             log_choose(of.all, of.number)));
    expect_frequencies(probabilities, [&](RandomStream& stream) {
      return draw_hypergeometric(stream, of.number, of.part, of.all);
    });
  }
}

TEST(PartDraws, OfVeryManyHaveMeanAndVariance) {
  constexpr std::uint64_t all = std::uint64_t{1} << 62, number = all / 8;
  constexpr int n = 20000;
  double binomial = 0, binomial_square = 0, hyper = 0, hyper_square = 0;
  const double mean = static_cast<double>(number) / 4, variance = mean * 0.75;
  for (std::uint64_t i = 0; i < n; ++i) {
    RandomStream stream(9, Purpose::connect, {i, 5, 1});
    const double x = (static_cast<double>(draw_binomial(stream, number, all / 4, all)) - mean) /
                     std::sqrt(variance);
    const double y =
        (static_cast<double>(draw_hypergeometric(stream, number, all / 4, all)) - mean) /
        std::sqrt(variance * 7 / 8);
    binomial += x / n, binomial_square += x * x / n;
    hyper += y / n, hyper_square += y * y / n;
  }
  // Statistical: n = 20000 standard normal numbers, five sd.
  EXPECT_NEAR(binomial, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(hyper, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(binomial_square, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(hyper_square, 1, 5 * std::sqrt(2.0 / n));
}

/// As long as they are few: a word each, so that what was drawn of a seed stays what it is.
TEST(PartDraws, OfAFewAreDrawnOneByOne) {
  for (std::uint64_t number = 1; number <= 16; ++number) {
    RandomStream draws(5, Purpose::connect, {number, 0, 0});
    draw_binomial(draws, number, 30, 100);
    EXPECT_EQ(draws.drawn(), number);
    draw_hypergeometric(draws, number, 30, 100);
    EXPECT_EQ(draws.drawn(), 2 * number);
    draw_hypergeometric(draws, 30, number, 100);
    EXPECT_EQ(draws.drawn(), 3 * number);
  }
}

TEST(PartDraws, OfNoneOrAllAreKnown) {
  RandomStream stream(1, Purpose::connect, {});
  EXPECT_EQ(draw_binomial(stream, 100, 0, 7), 0u);
  EXPECT_EQ(draw_binomial(stream, 100, 7, 7), 100u);
  EXPECT_EQ(draw_binomial(stream, 0, 3, 7), 0u);
  EXPECT_EQ(draw_hypergeometric(stream, 100, 0, 100), 0u);
  EXPECT_EQ(draw_hypergeometric(stream, 100, 30, 100), 30u);
  EXPECT_EQ(draw_hypergeometric(stream, 30, 100, 100), 30u);
}

TEST(PairsByTarget, SpansCoverAllTargetsOnce) {
  for (const std::uint64_t size : {1u, 5u, 255u, 256u, 257u, 100000u}) {
    const TargetSpans spans(3, 3 + size);
    EXPECT_LE(spans.count(), 256u);
    std::uint64_t at = 3;
    for (std::size_t s = 0; s < spans.count(); ++s) {
      EXPECT_EQ(spans.begin(s), at);
      EXPECT_EQ(spans.of(static_cast<std::uint32_t>(at)), s);
      at = spans.end(s);
      EXPECT_EQ(spans.of(static_cast<std::uint32_t>(at - 1)), s);
    }
    EXPECT_EQ(at, 3 + size);
  }
}

}  // namespace
}  // namespace hillock::network
