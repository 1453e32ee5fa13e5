// A network on several ranks gives what it gives on one.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/state/packed_state.hpp"
#include "tests/simulator/on_ranks.hpp"

namespace hillock::simulator {
namespace {

TEST(SeveralRanks, GiveWhatOneGives) {
  models::Network network = recorded_network();
  const MadeOnRanks expected = simulate_on(network, {});
  ASSERT_GT(expected.sink.all_spikes.size(), 50u);
  for (const auto placement :
       {PlacementKind::cost, PlacementKind::blocks, PlacementKind::round_robin}) {
    network.run.placement = placement;
    for (const int ranks : {2, 3, 4})
      for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
        for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
          const How how{ranks, exchange, overlap};
          const MadeOnRanks made = simulate_on(network, how);
          EXPECT_EQ(made.counts.overlaps, overlap == Overlap::yes);
          EXPECT_EQ(made.counts.exchange, exchange);
          expect_same(network, made, expected, words_of(how, placement));
        }
  }
}

TEST(SeveralRanks, MayBeMoreThanCells) {
  models::Network network = mixed_network();
  network.populations[0].size = 2;
  network.populations[1].size = 3;
  network.populations[2].size = 1;
  network.recordings[0].of = whole(network, 0);
  network.run.steps = 400;
  network.run.duration_ms = network.recordings[0].stop_ms = 10;
  for (auto& projection : network.projections) {
    projection.from = whole(network, projection.from.population.value);
    projection.to = whole(network, projection.to.population.value);
  }
  network.stimuli.clear();
  for (const std::uint32_t p : {0U, 1U, 2U}) drive(network, p, 0, network.populations[p].size, 9);
  const MadeOnRanks expected = simulate_on(network, {});
  ASSERT_GT(expected.sink.all_spikes.size(), 2u);
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours}) {
    const How how{9, exchange};
    expect_same(network, simulate_on(network, how), expected, words_of(how, PlacementKind::cost));
  }
}

/// A rank that only sends need not wait for those that only receive, and may be far ahead.
TEST(SeveralRanks, WorkOneWay) {
  models::Network network = recorded_network();
  std::erase_if(network.projections, [](const models::Projection& projection) {
    return projection.from.population.value > projection.to.population.value;
  });
  ASSERT_EQ(network.projections.size(), 2u);  // trees to balls to artificial cells
  const MadeOnRanks expected = simulate_on(network, {});
  for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
    const How how{5, ExchangeKind::neighbours, overlap};
    expect_same(network, simulate_on(network, how), expected, words_of(how, PlacementKind::cost));
  }
}

TEST(SeveralRanks, JoinCellsByGapJunctions) {
  models::Network network = recorded_network();
  network.run.steps = 200;
  network.run.duration_ms = 5;
  for (auto& recording : network.recordings) recording.stop_ms = 5;
  models::GapJunction junction;
  junction.g_uS = 1e-3;
  junction.at = junction.peer_at = at("soma", 0.5);
  models::Projection p;
  p.from = whole(network, 0);
  p.to = whole(network, 1);
  p.connect.kind = models::ConnectionRule::Kind::fixed_indegree;
  p.connect.number = 2;
  p.link = junction;
  network.projections.push_back(p);
  const MadeOnRanks expected = simulate_on(network, {});
  for (const auto placement : {PlacementKind::cost, PlacementKind::round_robin})
    for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours}) {
      network.run.placement = placement;
      const How how{3, exchange};
      const MadeOnRanks made = simulate_on(network, how);
      EXPECT_FALSE(made.counts.overlaps);
      expect_same(network, made, expected, words_of(how, placement));
    }
}

TEST(SeveralRanks, SaveAndResumeAsOneDoes) {
  models::Network network = recorded_network();
  How alone;
  alone.save_every = 130;
  const MadeOnRanks expected = simulate_on(network, alone);
  ASSERT_EQ(expected.saved.size(), 4u);
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
    for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
      network.run.placement = PlacementKind::round_robin;
      const How how{3, exchange, overlap, 130};
      const MadeOnRanks made = simulate_on(network, how);
      const std::string words = words_of(how, PlacementKind::round_robin);
      expect_same(network, made, expected, words);
      ASSERT_EQ(made.saved.size(), expected.saved.size());
      for (const auto& [step, state] : expected.saved)
        EXPECT_EQ(pack(state), pack(made.saved.at(step))) << words << ' ' << step;
      network.run.placement = PlacementKind::blocks;
      const MadeOnRanks rest = simulate_on(network, {2, exchange, overlap, 0, &made.saved.at(260)});
      const auto& all = expected.sink.reports[0];
      const std::size_t columns = expected.reports[0].element_ids.size();
      const std::vector<double> later(all.begin() + static_cast<std::ptrdiff_t>(261 * columns),
                                      all.end());
      EXPECT_EQ(rest.sink.reports[0], later) << words;
    }
}

}  // namespace
}  // namespace hillock::simulator
