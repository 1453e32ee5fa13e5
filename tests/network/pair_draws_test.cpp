// Which pairs the rules draw: blocks against one pair at a time, statistics, who may be asked
// alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "core/errors/errors.hpp"
#include "network/connectivity.hpp"

namespace hillock::network {
namespace {

using Kind = models::ConnectionRule::Kind;

models::Value value_of(const char* text) {
  models::Value value(
      std::get<Expression>(Expression::parse(
          text, units::number,
          {Variable::distance, Variable::x, Variable::y, Variable::z, Variable::r})),
      Place{});
  models::Bounds bounds;
  bounds.limits.minimum = 0;
  bounds.limits.maximum = 1;
  value.keep_within(bounds);
  return value;
}

/// One population in a box, joined to itself.
models::Network box(std::uint64_t cells, Kind kind) {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 5;
  network.cells.resize(1);
  models::Positions positions;
  positions.kind = models::Positions::Kind::uniform_box;
  positions.size_um = {400, 300, 50};
  network.populations.push_back({"a", 0, cells, positions, {}});
  models::Projection p;
  p.from = p.to = {PopulationId(0), 0, cells, {}};
  p.connect.kind = kind;
  p.weight = 0.5;
  p.delay.base_ms = 1.0;
  network.projections = {p};
  return network;
}

/// What pairwise_bernoulli draws, asked pair by pair.
std::vector<std::uint32_t> one_by_one_of(const models::Network& network, std::uint64_t target) {
  const models::Projection& projection = network.projections[0];
  const ConnectionDraws draws(network, 0);
  RandomStream stream(network.run.seed, Purpose::connect, {0, target, 0});
  std::vector<std::uint32_t> sources;
  for (std::uint64_t s = projection.from.begin; s < projection.from.end; ++s) {
    const double draw = stream.uniform();
    if (!draws.forbids(s, target) && draw < draws.probability(s, target))
      sources.push_back(static_cast<std::uint32_t>(s));
  }
  return sources;
}

TEST(PairDraws, BlocksConnectThePairsThatWouldBeAskedOneByOne) {
  for (const char* p : {"0.5 * exp(-distance / 100 um)", "exp(-(x*x + y*y) / (2 * (80 um)^2))",
                        "distance < 100 um ? 0.3 : 0", "r * (abs(z) < 20 um)",
                        "min(1, 50 um / (distance + 1 um)) ^ 2", "0.2 + 0 * r"}) {
    models::Network network = box(333, Kind::pairwise_bernoulli);
    network.projections[0].connect.probability = value_of(p);
    for (const auto autapses : {models::Autapses::forbidden, models::Autapses::allowed}) {
      network.projections[0].connect.autapses = autapses;
      for (const std::uint64_t begin : {0, 3, 130, 332}) {
        network.projections[0].from.begin = begin;
        const Connector connector(network, 0);
        Connector::Scratch scratch;
        for (const std::uint64_t target : {0, 3, 131, 332}) {
          const auto made = connector.sources(target, scratch);
          EXPECT_TRUE(std::ranges::equal(made, one_by_one_of(network, target)))
              << p << ", from " << begin << " to " << target;
        }
      }
    }
  }
}

TEST(PairDraws, AProbabilityThatIsWrongForACellAndItselfAloneIsNeverAsked) {
  models::Network network = box(200, Kind::pairwise_bernoulli);
  network.projections[0].connect.probability = value_of("distance == 0 um ? 2 : 0.1");
  EXPECT_GT(connect(network, 0).size(), 0u);
  network.projections[0].connect.autapses = models::Autapses::allowed;
  EXPECT_THROW(connect(network, 0), InvalidModel);
}

TEST(PairDraws, SkippingHasTheMeanAndVarianceOfOneDrawAPair) {
  constexpr int cells = 2000;
  for (const double p : {0.001, 0.02, 0.3, 0.9}) {
    models::Network network = box(cells, Kind::pairwise_bernoulli);
    network.projections[0].connect.autapses = models::Autapses::allowed;
    network.projections[0].connect.probability = p;
    const Connector connector(network, 0);
    Connector::Scratch scratch;
    std::vector<double> of_source(cells, 0);
    double sum = 0, squares = 0;
    for (std::uint64_t t = 0; t < cells; ++t) {
      const auto sources = connector.sources(t, scratch);
      ASSERT_TRUE(std::ranges::is_sorted(sources) &&
                  std::ranges::adjacent_find(sources) == sources.end());
      const auto n = static_cast<double>(sources.size());
      sum += n;
      squares += n * n;
      for (const std::uint32_t s : sources) ++of_source[s];
    }
    // Statistical: binomial of n = 2000 for every target and every source; five sd of the mean
    // (n·sqrt(p·q/n²)) and of the variance (about sqrt(2/n) of it).
    const double mean = cells * p, variance = mean * (1 - p);
    EXPECT_NEAR(sum / cells, mean, 5 * std::sqrt(variance / cells)) << p;
    const double spread = squares / cells - (sum / cells) * (sum / cells);
    EXPECT_NEAR(spread / variance, 1, 5 * std::sqrt(2.0 / cells)) << p;
    double source_spread = 0;
    for (const double n : of_source) source_spread += (n - mean) * (n - mean) / cells;
    EXPECT_NEAR(source_spread / variance, 1, 5 * std::sqrt(2.0 / cells)) << p;
  }
}

TEST(PairDraws, SkippingTakesAllNoneOrHardlyAny) {
  models::Network network = box(100, Kind::pairwise_bernoulli);
  const auto count = [&](double p) {
    network.projections[0].connect.probability = p;
    return connect(network, 0).size();
  };
  EXPECT_EQ(count(1), 9900u);
  EXPECT_EQ(count(0), 0u);
  EXPECT_EQ(count(1e-300), 0u);
  EXPECT_EQ(count(5e-324), 0u);
  EXPECT_GT(count(std::nextafter(1, 0)), 9890u);
}

TEST(PairDraws, EveryTargetCanBeAskedAloneAndOnAnyThread) {
  for (const Kind kind : {Kind::pairwise_bernoulli, Kind::fixed_indegree, Kind::fixed_outdegree,
                          Kind::fixed_total_number, Kind::all_to_all, Kind::one_to_one}) {
    models::Network network = box(3000, kind);
    network.projections[0].connect.probability =
        kind == Kind::pairwise_bernoulli ? models::Value(0.01) : models::Value(0.0);
    network.projections[0].connect.number = kind == Kind::fixed_total_number ? 30000 : 70;
    const Connector one(network, 0);
    const Connector other(network, 0, [](std::size_t n, const auto& body) {
      std::vector<std::jthread> threads;
      for (std::size_t i = n; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
    });
    Connector::Scratch forwards, backwards;
    std::vector<std::vector<std::uint32_t>> all(3000);
    for (std::uint64_t t = 0; t < 3000; ++t) {
      const auto sources = one.sources(t, forwards);
      all[t].assign(sources.begin(), sources.end());
    }
    for (std::uint64_t t = 3000; t-- > 0;)
      ASSERT_TRUE(std::ranges::equal(other.sources(t, backwards), all[t]))
          << static_cast<int>(kind) << ", " << t;
  }
}

TEST(PairDraws, TotalNumberRepeatsNoPairWhetherManyOrFewAreTaken) {
  for (const std::uint64_t number : {10u, 5000u, 100000u}) {  // few of 1.2e7, and many
    models::Network network = box(3500, Kind::fixed_total_number);
    network.projections[0].connect.number = number;
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (const Connection& c : connect(network, 0)) {
      EXPECT_NE(c.source, c.target);
      EXPECT_TRUE(pairs.emplace(c.source, c.target).second);
    }
    EXPECT_EQ(pairs.size(), number);
  }
}

TEST(PairDraws, MultapsesAreSortedWhetherFewOrMany) {
  for (const std::uint64_t number : {1u, 63u, 64u, 5000u}) {
    models::Network network = box(70000, Kind::fixed_indegree);
    network.projections[0].to.end = 3;
    network.projections[0].connect.number = number;
    network.projections[0].connect.multapses = models::Multapses::allowed;
    const Connector connector(network, 0);
    Connector::Scratch scratch;
    for (std::uint64_t t = 0; t < 3; ++t) {
      const auto sources = connector.sources(t, scratch);
      EXPECT_EQ(sources.size(), number);
      EXPECT_TRUE(std::ranges::is_sorted(sources));
      EXPECT_EQ(std::ranges::count(sources, t), 0);
    }
  }
}

}  // namespace
}  // namespace hillock::network
