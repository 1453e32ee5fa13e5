// Connection rules: counts, exclusions, statistics, and draws keyed by what they are for.

#include "network/connectivity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/errors/errors.hpp"

namespace hillock::network {
namespace {

using models::ConnectionRule;
using Kind = ConnectionRule::Kind;

models::Network network_of(std::uint64_t first, std::uint64_t second) {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 11;
  network.cells.resize(1);
  network.populations.push_back({"a", 0, first, {}, {}});
  network.populations.push_back({"b", 0, second, {}, {}});
  return network;
}

models::Projection projection(const models::Network& network, std::uint32_t from, std::uint32_t to,
                              Kind kind) {
  models::Projection p;
  p.from = {PopulationId(from), 0, network.populations[from].size, {}};
  p.to = {PopulationId(to), 0, network.populations[to].size, {}};
  p.connect.kind = kind;
  p.weight = 0.5;
  p.delay.base_ms = 1.0;
  return p;
}

TEST(Connect, AllToAllLeavesOutAutapsesUnlessAllowed) {
  auto network = network_of(5, 3);
  network.projections = {projection(network, 0, 0, Kind::all_to_all),
                         projection(network, 0, 1, Kind::all_to_all)};
  EXPECT_EQ(connect(network, 0).size(), 20u);
  EXPECT_EQ(connect(network, 1).size(), 15u);
  network.projections[0].connect.autapses = models::Autapses::allowed;
  EXPECT_EQ(connect(network, 0).size(), 25u);
}

/// A target within the slice of sources has one fewer to choose from; those beside it have all.
TEST(Connect, OnlyATargetAmongTheSourcesIsLeftOut) {
  auto network = network_of(10, 1);
  network.projections = {projection(network, 0, 0, Kind::fixed_indegree)};
  models::Projection& p = network.projections[0];
  p.from.begin = 2;
  p.from.end = 7;
  p.connect.number = 4;
  std::map<std::uint64_t, std::set<std::uint64_t>> sources;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) {
    network.run.seed = seed;
    for (const Connection& c : connect(network, 0)) sources[c.target].insert(c.source);
  }
  for (std::uint64_t target = 0; target < 10; ++target) {
    std::set<std::uint64_t> expected{2, 3, 4, 5, 6};
    expected.erase(target);
    EXPECT_EQ(sources[target], expected) << target;
  }
}

TEST(Connect, RowsOfAListHaveTheirOwnArguments) {
  auto network = network_of(5, 5);
  network.projections = {projection(network, 0, 1, Kind::list)};
  models::Projection& list = network.projections[0];
  list.connect.rows = {{3, 0, 3}, {1, 1, 1}, {}, {}, {}, {}, 3};
  list.connect.rows.arguments = {{}, {30, 0.5, 31}, {}};
  const auto arguments = [&] {
    const Connector connector(network, 0);
    Connector::Scratch scratch;
    const TargetConnections made = connector.connect(1, scratch);
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < made.size(); ++i)
      connector.draws().arguments(made[i], made.rows[i], all.emplace_back());
    return all;
  };
  using testing::ElementsAre;
  // Sorted by source; of rows of one pair the first first.
  EXPECT_THAT(arguments(),
              ElementsAre(ElementsAre(0, 0.5, 0), ElementsAre(0, 30, 0), ElementsAre(0, 31, 0)));
  list.arguments = {models::Value(7.0), models::Value(8.0), models::Value(9.0)};
  EXPECT_THAT(arguments(),
              ElementsAre(ElementsAre(7, 0.5, 9), ElementsAre(7, 30, 9), ElementsAre(7, 31, 9)));
}

TEST(Connect, OneToOneOfSlicesPairsByPlaceInTheSlice) {
  auto network = network_of(5, 5);
  network.projections = {projection(network, 0, 1, Kind::one_to_one)};
  network.projections[0].from.begin = 2;
  network.projections[0].to.end = 3;
  const auto made = connect(network, 0);
  ASSERT_EQ(made.size(), 3u);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(made[i].source, i + 2);
    EXPECT_EQ(made[i].target, i);
  }
}

TEST(Connect, BernoulliHasTheRightMeanForConstantsAndExpressions) {
  auto network = network_of(300, 300);
  network.projections = {projection(network, 0, 1, Kind::pairwise_bernoulli),
                         projection(network, 0, 1, Kind::pairwise_bernoulli)};
  network.projections[0].connect.probability = 0.1;
  network.projections[1].connect.probability =
      models::Value(std::get<Expression>(Expression::parse("0.1 + 0*distance/1 um", units::number,
                                                           {Variable::distance})),
                    Place{});
  // Statistical: n = 90000, p = 0.1, sd = 90; five of them.
  for (std::size_t p = 0; p < 2; ++p)
    EXPECT_NEAR(static_cast<double>(connect(network, p).size()), 9000, 450);
  network.projections[0].connect.probability = 1.0;
  EXPECT_EQ(connect(network, 0).size(), 90000u);
  network.projections[0].connect.probability = 0.0;
  EXPECT_EQ(connect(network, 0).size(), 0u);
}

TEST(Connect, IndegreeIsExactWithoutRepetitionOrAutapses) {
  auto network = network_of(20, 4);
  network.projections = {projection(network, 0, 0, Kind::fixed_indegree)};
  network.projections[0].connect.number = 19;
  std::map<std::uint64_t, std::set<std::uint64_t>> sources;
  for (const auto& c : connect(network, 0)) {
    EXPECT_NE(c.source, c.target);
    EXPECT_EQ(c.k, 0u);
    EXPECT_TRUE(sources[c.target].insert(c.source).second);
  }
  EXPECT_EQ(sources.size(), 20u);
  for (const auto& [target, all] : sources) EXPECT_EQ(all.size(), 19u);
  network.projections[0].connect.number = 20;
  EXPECT_THROW(connect(network, 0), InvalidModel);
}

TEST(Connect, IndegreeChoosesEverySourceEquallyOften) {
  auto network = network_of(10, 20000);
  network.projections = {projection(network, 0, 1, Kind::fixed_indegree)};
  network.projections[0].connect.number = 3;
  std::vector<int> counts(10, 0);
  for (const auto& c : connect(network, 0)) ++counts[c.source];
  // Statistical: n = 20000, p = 0.3, sd = 64.8; five of them.
  for (const int count : counts) EXPECT_NEAR(count, 6000, 324);
}

TEST(Connect, MultapsesAreCountedByK) {
  auto network = network_of(2, 1);
  network.projections = {projection(network, 0, 1, Kind::fixed_indegree)};
  network.projections[0].connect.number = 50;
  network.projections[0].connect.multapses = models::Multapses::allowed;
  const auto made = connect(network, 0);
  ASSERT_EQ(made.size(), 50u);
  std::map<std::uint64_t, std::uint32_t> next;
  for (const auto& c : made) EXPECT_EQ(c.k, next[c.source]++);
}

TEST(Connect, OutdegreeAndTotalNumberAreExact) {
  auto network = network_of(7, 30);
  network.projections = {projection(network, 0, 1, Kind::fixed_outdegree),
                         projection(network, 0, 1, Kind::fixed_total_number),
                         projection(network, 0, 0, Kind::fixed_total_number)};
  network.projections[0].connect.number = 12;
  network.projections[1].connect.number = 210;  // every pair
  network.projections[2].connect.number = 42;   // every pair but autapses
  std::map<std::uint64_t, int> out;
  for (const auto& c : connect(network, 0)) ++out[c.source];
  EXPECT_EQ(out.size(), 7u);
  for (const auto& [source, n] : out) EXPECT_EQ(n, 12);
  EXPECT_EQ(connect(network, 1).size(), 210u);
  EXPECT_EQ(connect(network, 2).size(), 42u);
  network.projections[2].connect.number = 43;
  EXPECT_THROW(connect(network, 2), InvalidModel);
}

TEST(Connect, DrawsDoNotDependOnWhatElseIsConnected) {
  auto network = network_of(50, 50);
  network.projections = {projection(network, 0, 1, Kind::pairwise_bernoulli)};
  network.projections[0].connect.probability = 0.3;
  models::Distribution weights{models::Distribution::Kind::lognormal, 0.5, 0.4};
  network.projections[0].weight = models::Value(weights, Place{});
  const auto all = connect(network, 0);
  network.projections[0].to = {PopulationId(1), 10, 20, {}};
  std::vector<Connection> expected;
  for (const auto& c : all)
    if (c.target >= 10 && c.target < 20) expected.push_back(c);
  const auto some = connect(network, 0);
  ASSERT_EQ(some.size(), expected.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].source, expected[i].source);
    EXPECT_EQ(some[i].weight, expected[i].weight);
  }
}

TEST(Connect, LognormalMeanAndCvAreTheDistributionsOwn) {
  auto network = network_of(200, 200);
  network.projections = {projection(network, 0, 1, Kind::all_to_all)};
  network.projections[0].weight =
      models::Value(models::Distribution{models::Distribution::Kind::lognormal, 2, 0.5}, Place{});
  double sum = 0, squares = 0;
  for (const auto& c : connect(network, 0)) {
    sum += c.weight;
    squares += c.weight * c.weight;
  }
  const double n = 40000, mean = sum / n;
  EXPECT_NEAR(mean, 2, 0.025);  // statistical: sd of the mean 1/200; five of them
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 0.5, 0.02);
}

TEST(Connect, VelocityAddsDistanceToTheDelay) {
  auto network = network_of(1, 1);
  network.populations[1].positions = {
      models::Positions::Kind::list, {}, {1, 1, 1}, {}, {{300, 400, 0}}};
  network.projections = {projection(network, 0, 1, Kind::one_to_one)};
  network.projections[0].delay.velocity_um_per_ms = 250;
  EXPECT_DOUBLE_EQ(connect(network, 0)[0].delay_ms, 1 + 2);
}

TEST(Connect, ValuesOutsideTheirBoundsAreRefusedWithTheEndsOfTheConnection) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto bounds = [](const char* unit, double minimum, double maximum) {
    models::Bounds result;
    result.limits.minimum = minimum;
    result.limits.maximum = maximum;
    result.limits.unit_text = unit;
    result.path = "projections[0].it";
    return result;
  };
  const auto bounded = [&](const char* text, const char* unit, double minimum, double maximum) {
    models::Value value(std::get<Expression>(Expression::parse(
                            text, unit_of(unit), {Variable::distance, Variable::r, Variable::x})),
                        Place{"net.yaml", 7, 9});
    value.keep_within(bounds(unit, minimum, maximum));
    return value;
  };
  auto network = network_of(3, 3);
  network.populations[1].positions = {
      models::Positions::Kind::list, {}, {1, 1, 1}, {}, {{0, 0, 0}, {0, 0, 0}, {50, 0, 0}}};
  network.projections = {projection(network, 0, 1, Kind::pairwise_bernoulli)};
  const auto message = [&] {
    try {
      connect(network, 0);
    } catch (const InvalidModel& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  models::Projection& made = network.projections[0];
  made.connect.probability = bounded("1 - x / 25 um", "", 0, 1);
  EXPECT_EQ(message(), "net.yaml:7:9: error: projections[0].it: -1 for " +
                           network.populations[0].name + "[0] -> " + network.populations[1].name +
                           "[2] must not be negative");
  made.connect.probability = 1.0;
  made.weight = bounded("1 uS * (1 - x / 25 um)", "uS", 0, infinity);
  EXPECT_THAT(message(), testing::HasSubstr("projections[0].it: -1 uS for "));
  made.weight = bounded("1 uS / (1 - (x > 10 um))", "uS", -infinity, infinity);
  EXPECT_THAT(message(), testing::HasSubstr("[2] is not a finite number"));
  made.weight = 1.0;
  made.delay.base_ms = bounded("1 ms + x * 1e9 ms / 50 um", "ms", 0, 1e8);
  EXPECT_THAT(message(), testing::HasSubstr("[2] must be at most 100000000 ms"));
  models::Value drawn(models::Distribution{models::Distribution::Kind::normal, 1, 100}, Place{});
  drawn.keep_within(bounds("ms", 0, infinity));
  made.delay.base_ms = drawn;
  EXPECT_THAT(message(), testing::HasSubstr("must not be negative (truncate the distribution)"));
}

TEST(Connect, ADelayUnderDtIsAnErrorAtTheDelay) {
  auto network = network_of(3, 3);
  network.projections = {projection(network, 0, 1, Kind::all_to_all)};
  network.projections[0].delay.base_ms =
      models::Value(models::Distribution{models::Distribution::Kind::normal, 0.1, 0.1}, Place{});
  network.projections[0].delay.place = {"net.yaml", 7, 9};
  try {
    connect(network, 0);
    FAIL() << "accepted";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("net.yaml:7:9: error: the delay of "));
  }
}

}  // namespace
}  // namespace hillock::network
