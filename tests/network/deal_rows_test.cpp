// Rows of lists, of which every rank has a part, come to the ranks of their targets in the list's
// order, so that ranks make the connections of one.

#include "network/deal_rows.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "core/random/random.hpp"
#include "network/connectivity.hpp"
#include "network/thread_ranks.hpp"
#include "tests/network/within.hpp"

namespace hillock::network {
namespace {

using namespace std::chrono_literals;
using models::ConnectionRows;
using models::PlacementKind;

constexpr std::uint64_t sources = 60, targets = 37;

/// A list onto a slice. Several rows are of one pair.
models::Projection listed(std::uint64_t rows, bool weights, bool delays) {
  models::Projection projection;
  projection.from = {PopulationId(0), 0, sources, {}};
  projection.to = {PopulationId(1), 4, targets, {}};
  projection.connect.kind = models::ConnectionRule::Kind::list;
  projection.weight = 0.5;
  projection.delay.base_ms = 1.0;
  RandomStream draws(5, Purpose::stimulus, {rows, weights, delays});
  ConnectionRows& list = projection.connect.rows;
  for (std::uint64_t i = 0; i < rows; ++i) {
    list.sources.push_back(static_cast<std::uint32_t>(draws.below(sources)));
    list.targets.push_back(static_cast<std::uint32_t>(draws.below(targets - 4)));
    if (weights) list.weights.push_back(static_cast<double>(i));
    if (delays) list.delays_ms.push_back(1 + 0.1 * static_cast<double>(i));
  }
  list.listed = rows;
  return projection;
}

models::Network lists() {
  models::Network network;
  network.run.dt_ms = 0.1;
  network.cells.emplace_back();
  network.populations.push_back({"a", 0, sources, {}, {}});
  network.populations.push_back({"b", 0, targets, {}, {}});
  network.projections = {listed(500, true, true), listed(5000, false, true), listed(3, true, false),
                         listed(0, false, false), listed(800, false, false)};
  return network;
}

/// What a rank reads.
void keep_part(ConnectionRows& rows, std::size_t rank, std::size_t ranks) {
  const std::size_t begin = rows.size() * rank / ranks, end = rows.size() * (rank + 1) / ranks;
  const auto cut = [&](auto& column) {
    if (!column.empty()) column = {column.begin() + begin, column.begin() + end};
  };
  cut(rows.targets);
  cut(rows.weights);
  cut(rows.delays_ms);
  cut(rows.sources);
}

bool is_same_row(const Connection& a, const Connection& b) {
  return a.source == b.source && a.target == b.target && a.k == b.k && a.weight == b.weight &&
         a.delay_ms == b.delay_ms;
}

void check_dealt(int count, PlacementKind kind) {
  const models::Network whole = lists();
  within(20s, [&] {
    run_ranks(count, [&](Ranks& ranks) {
      models::Network network = whole;
      for (models::Projection& projection : network.projections)
        keep_part(projection.connect.rows, static_cast<std::size_t>(ranks.number()),
                  static_cast<std::size_t>(count));
      const CellCosts costs{{{20, 5}, {sources, 1}}, {{targets, 3}}};
      const Placement placement(network, kind, ranks.number(), count, costs);
      deal_rows(ranks, placement, network);
      const CellSet own = placement.cells_of(PopulationId(1));
      for (std::size_t p = 0; p < whole.projections.size(); ++p) {
        const std::vector<Connection> wanted = connect(whole, p, own),
                                      got = connect(network, p, own);
        EXPECT_TRUE(std::ranges::equal(wanted, got, is_same_row)) << p;
        EXPECT_EQ(network.projections[p].connect.rows.size(), wanted.size()) << p;
        EXPECT_EQ(network.projections[p].connect.rows.listed,
                  whole.projections[p].connect.rows.listed);
      }
    });
  });
}

TEST(DealRows, BringsThemToTheirTargetsInOrder) {
  for (const int count : {1, 2, 3, 8, 50})
    for (const auto kind : {PlacementKind::cost, PlacementKind::blocks, PlacementKind::round_robin})
      check_dealt(count, kind);
}

TEST(DealRows, LeavesThoseOfGapJunctions) {
  within(20s, [] {
    run_ranks(3, [](Ranks& ranks) {
      models::Network network = lists();
      for (models::Projection& projection : network.projections)
        projection.link = models::GapJunction();
      const models::Network before = network;
      const Placement placement(network, PlacementKind::blocks, ranks.number(), ranks.count());
      deal_rows(ranks, placement, network);
      for (std::size_t p = 0; p < network.projections.size(); ++p)
        EXPECT_EQ(network.projections[p].connect.rows.targets,
                  before.projections[p].connect.rows.targets);
    });
  });
}

/// A rank gets a message from each other one a list, of so many bytes a row.
TEST(DealRows, AllMeetOnce) {
  const models::Network whole = lists();
  const Traffic traffic = run_ranks(4, [&](Ranks& ranks) {
    models::Network network = whole;
    network.projections.resize(1);
    keep_part(network.projections[0].connect.rows, static_cast<std::size_t>(ranks.number()), 4);
    deal_rows(ranks, Placement(network, PlacementKind::blocks, ranks.number(), 4), network);
  });
  EXPECT_EQ(traffic.messages, 12U);
  EXPECT_LT(traffic.bytes, 12 * 4 * 8 + 500 * 24);
}

}  // namespace
}  // namespace hillock::network
