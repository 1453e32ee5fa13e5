// What is expected of a rule without connecting anything, against what connecting gives.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/errors/errors.hpp"
#include "network/connectivity.hpp"
#include "network/expected_connections.hpp"

namespace hillock::network {
namespace {

using models::ConnectionRule;
using Kind = ConnectionRule::Kind;

/// Populations of 40 and 30 cells on a grid; one projection within the first or onto the second.
models::Network network_with(Kind kind, std::uint32_t to) {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 5;
  network.cells.resize(1);
  network.populations.push_back({"a", 0, 40, {}, {}});
  network.populations.push_back({"b", 0, 30, {}, {}});
  for (auto& population : network.populations) {
    population.positions.kind = models::Positions::Kind::grid;
    population.positions.counts = {population.size, 1, 1};
    population.positions.spacing_um = {10, 10, 10};
  }
  models::Projection p;
  p.from = {PopulationId(0), 0, 40, {}};
  p.to = {PopulationId(to), 0, network.populations[to].size, {}};
  p.connect.kind = kind;
  p.connect.number = 7;
  p.connect.probability = 0.2;
  p.delay.base_ms = 1.5;
  network.projections.push_back(p);
  return network;
}

TEST(ExpectedConnections, AreThoseMadeWhereTheRuleFixesTheirNumber) {
  for (const std::uint32_t to : {0u, 1u})
    for (const Kind kind : {Kind::all_to_all, Kind::fixed_indegree, Kind::fixed_outdegree,
                            Kind::fixed_total_number}) {
      const auto network = network_with(kind, to);
      const auto expected = expect_connections(network, 0);
      EXPECT_TRUE(expected.is_exact);
      EXPECT_TRUE(expected.delay_is_exact);
      EXPECT_EQ(expected.count, static_cast<double>(connect(network, 0).size()));
      EXPECT_EQ(expected.count, expected_connection_count(network, 0));
      EXPECT_EQ(expected.shortest_delay_ms, 1.5);
    }
}

TEST(ExpectedConnections, OfOneToOneLeaveOutACellWithItself) {
  auto network = network_with(Kind::one_to_one, 0);
  EXPECT_EQ(expect_connections(network, 0).count, 0);
  EXPECT_EQ(connect(network, 0).size(), 0u);
  network.projections[0].connect.autapses = models::Autapses::allowed;
  EXPECT_EQ(expect_connections(network, 0).count, 40);
  network.projections[0].connect.autapses = models::Autapses::forbidden;
  network.projections[0].from.end = 20;
  network.projections[0].to.begin = 20;
  EXPECT_EQ(expect_connections(network, 0).count, 20);
  EXPECT_EQ(connect(network, 0).size(), 20u);
}

TEST(ExpectedConnections, OfPairwiseBernoulliAreAMean) {
  const auto network = network_with(Kind::pairwise_bernoulli, 0);
  const auto expected = expect_connections(network, 0);
  EXPECT_FALSE(expected.is_exact);
  EXPECT_DOUBLE_EQ(expected.count, 0.2 * 40 * 39);
  // statistical: one draw of n = 1560, p = 0.2, seed 5, within five standard deviations
  EXPECT_NEAR(static_cast<double>(connect(network, 0).size()), expected.count,
              5 * std::sqrt(1560 * 0.2 * 0.8));
}

TEST(ExpectedConnections, OfAList) {
  auto network = network_with(Kind::list, 1);
  network.projections[0].connect.rows = {{0, 1, 2}, {1, 2, 2}, {}, {4.0, 0.5, 1.0}, {}, {}, 3};
  const auto expected = expect_connections(network, 0);
  EXPECT_EQ(expected.count, 3);
  EXPECT_EQ(expected.shortest_delay_ms, 0.5);
}

TEST(ExpectedConnections, DelaysThatVaryAreLookedAtInSomePairs) {
  auto network = network_with(Kind::fixed_indegree, 1);
  network.projections[0].delay.velocity_um_per_ms = 100.0;
  const auto expected = expect_connections(network, 0);
  EXPECT_FALSE(expected.delay_is_exact);
  EXPECT_GE(expected.shortest_delay_ms, 1.5);
  EXPECT_LT(expected.shortest_delay_ms, 1.5 + 390 / 100.0);
}

TEST(ExpectedConnections, OfNoCellsAreNone) {
  auto network = network_with(Kind::pairwise_bernoulli, 1);
  network.populations[1].size = 0;
  network.projections[0].to.end = 0;
  EXPECT_EQ(expect_connections(network, 0).count, 0);
  EXPECT_EQ(expect_connections(network, 0).shortest_delay_ms, 0);
}

TEST(Connector, WhatATargetGetsDoesNotDependOnTheOthers) {
  for (const Kind kind : {Kind::one_to_one, Kind::all_to_all, Kind::pairwise_bernoulli,
                          Kind::fixed_indegree, Kind::fixed_outdegree, Kind::fixed_total_number}) {
    auto network = network_with(kind, kind == Kind::one_to_one ? 0 : 1);
    network.projections[0].connect.autapses = models::Autapses::allowed;
    const Connector connector(network, 0);
    Connector::Scratch scratch;
    std::vector<Connection> made;
    const models::PopulationSlice& to = network.projections[0].to;
    for (std::uint64_t t = to.end; t-- > to.begin;) {
      std::vector<Connection> here;
      connector.connect(t, scratch, here);
      made.insert(made.begin(), here.begin(), here.end());
    }
    const auto all = connect(network, 0);
    ASSERT_EQ(made.size(), all.size());
    ASSERT_GT(all.size(), 0u);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(made[i].source, all[i].source);
      EXPECT_EQ(made[i].target, all[i].target);
      EXPECT_EQ(made[i].k, all[i].k);
    }
  }
}

}  // namespace
}  // namespace hillock::network
