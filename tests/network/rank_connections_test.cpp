// The connections that ranks make of their own cells are together those that one rank makes, bit
// by bit, whatever the rule and the placement.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "network/connectivity.hpp"
#include "network/placement.hpp"

namespace hillock::network {
namespace {

using Kind = models::ConnectionRule::Kind;
using models::Autapses;
using models::Multapses;
using models::PlacementKind;

models::Value expression(const char* text) {
  return models::Value(std::get<Expression>(Expression::parse(
                           text, units::number, {Variable::distance, Variable::x, Variable::r})),
                       Place{});
}

models::Projection joined(std::uint32_t from, std::uint32_t to, std::uint64_t from_size,
                          std::uint64_t to_size, Kind kind, std::uint64_t number = 0) {
  models::Projection p;
  p.from = {PopulationId(from), 0, from_size, {}};
  p.to = {PopulationId(to), 0, to_size, {}};
  p.connect.kind = kind;
  p.connect.number = number;
  // Both are drawn, so that a pair's draws are compared with it.
  p.weight =
      models::Value(models::Distribution{models::Distribution::Kind::lognormal, 0.5, 0.4}, Place{});
  p.delay.base_ms =
      models::Value(models::Distribution{models::Distribution::Kind::uniform, 1, 4}, Place{});
  p.delay.velocity_um_per_ms = 200;
  return p;
}

/// 60 cells in a box and 37 on a line.
models::Network two_populations() {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.run.seed = 23;
  network.cells.resize(1);
  models::Positions box, line;
  box.kind = models::Positions::Kind::uniform_box;
  box.size_um = {400, 300, 50};
  line.kind = models::Positions::Kind::grid;
  line.counts = {37, 1, 1};
  line.spacing_um = {10, 0, 0};
  network.populations.push_back({"a", 0, 60, box, {}});
  network.populations.push_back({"b", 0, 37, line, {}});
  return network;
}

void add_rules(models::Network& network, std::uint32_t from, std::uint32_t to) {
  const std::uint64_t sources = network.populations[from].size;
  const std::uint64_t targets = network.populations[to].size;
  const auto add = [&](Kind kind, std::uint64_t number = 0) -> models::Projection& {
    network.projections.push_back(joined(from, to, sources, targets, kind, number));
    return network.projections.back();
  };
  models::Projection& one_to_one = add(Kind::one_to_one);
  one_to_one.from.end = one_to_one.to.end = std::min(sources, targets);
  add(Kind::all_to_all);
  add(Kind::pairwise_bernoulli).connect.probability = 0.2;
  add(Kind::pairwise_bernoulli).connect.probability = expression("exp(-distance / 100 um)");
  add(Kind::fixed_indegree, 7);
  add(Kind::fixed_outdegree, 7);
  add(Kind::fixed_total_number, 500);
  models::Projection& list = add(Kind::list);
  RandomStream draws(5, Purpose::stimulus, {from, to, 0});
  models::ConnectionRows& rows = list.connect.rows;
  for (int i = 0; i < 300; ++i) {
    rows.sources.push_back(static_cast<std::uint32_t>(draws.below(sources)));
    rows.targets.push_back(static_cast<std::uint32_t>(draws.below(targets)));
    if (from == 0) rows.weights.push_back(i);
    if (to == 0) rows.delays_ms.push_back(1 + 0.1 * i);
  }
  rows.listed = rows.size();
}

/// Every rule within a population and between two, with and without autapses and multapses, of
/// whole populations and of slices.
models::Network all_rules() {
  models::Network network = two_populations();
  add_rules(network, 0, 0);
  add_rules(network, 0, 1);
  add_rules(network, 1, 0);
  const std::size_t plain = network.projections.size();
  for (std::size_t p = 0; p < plain; ++p) {
    models::Projection allowed = network.projections[p];
    allowed.connect.autapses = Autapses::allowed;
    network.projections.push_back(allowed);
    allowed.connect.multapses = Multapses::allowed;
    network.projections.push_back(allowed);
    models::Projection slices = network.projections[p];
    slices.to.begin = 8;
    slices.to.end = 31;
    slices.from.begin = 5;
    slices.from.end = slices.connect.kind == Kind::one_to_one ? 28 : 35;
    if (slices.connect.kind == Kind::fixed_total_number) slices.connect.number = 300;
    for (std::uint32_t& source : slices.connect.rows.sources) source %= 30;
    for (std::uint32_t& target : slices.connect.rows.targets) target %= 23;
    network.projections.push_back(slices);
  }
  return network;
}

bool is_same_connection(const Connection& a, const Connection& b) {
  return a.source == b.source && a.target == b.target && a.k == b.k &&
         std::memcmp(&a.weight, &b.weight, sizeof(double)) == 0 &&
         std::memcmp(&a.delay_ms, &b.delay_ms, sizeof(double)) == 0;
}

TEST(RankConnections, OfAllRanksAreThoseOfOne) {
  const models::Network network = all_rules();
  const CellCosts costs{{{20, 5}, {60, 1}}, {{37, 3}}};
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const std::vector<Connection> expected = connect(network, p);
    if (network.projections[p].connect.kind != Kind::one_to_one) {
      ASSERT_FALSE(expected.empty()) << p;
    }
    for (const auto kind : {PlacementKind::cost, PlacementKind::blocks, PlacementKind::round_robin})
      for (const int ranks : {1, 2, 3, 5, 8}) {
        std::vector<Connection> made;
        for (int rank = 0; rank < ranks; ++rank) {
          const Placement placement(network, kind, rank, ranks, costs);
          const CellSet own = placement.cells_of(network.projections[p].to.population);
          for (const Connection& c : connect(network, p, own)) {
            ASSERT_TRUE(own.contains(c.target));
            made.push_back(c);
          }
        }
        // Within a target the order is one rank's; of targets, that of ranks.
        std::ranges::stable_sort(made, {}, &Connection::target);
        ASSERT_EQ(made.size(), expected.size())
            << p << ", " << name_of(kind) << ", " << ranks << " ranks";
        ASSERT_TRUE(std::ranges::equal(made, expected, is_same_connection))
            << p << ", " << name_of(kind) << ", " << ranks << " ranks";
      }
  }
}

TEST(RankConnections, OfARankWithoutTargetsAreNone) {
  const models::Network network = all_rules();
  for (std::size_t p = 0; p < network.projections.size(); ++p)
    EXPECT_TRUE(connect(network, p, {3, 3}).empty());
}

TEST(RankConnections, AreExpectedAboutAsMany) {
  const models::Network network = all_rules();
  for (std::size_t p = 0; p < network.projections.size(); ++p)
    for (const CellSet own : {CellSet{0, 20}, CellSet{1, 60, 3}}) {
      const Kind kind = network.projections[p].connect.kind;
      if (kind == Kind::pairwise_bernoulli || kind == Kind::one_to_one || kind == Kind::all_to_all)
        continue;
      const Connector connector(network, p, own);
      const auto made = static_cast<double>(connect(network, p, own).size());
      EXPECT_EQ(connector.expected_connections(own), made) << p;
    }
}

}  // namespace
}  // namespace hillock::network
