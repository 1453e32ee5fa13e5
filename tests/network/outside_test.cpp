// Networks beside one another hear of each other's cells by numbers.

#include "network/outside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "network/rank_exchange.hpp"
#include "network/thread_ranks.hpp"

namespace hillock::network {
namespace {

constexpr std::uint64_t own_cells = 4;

/// Of four cells here others know the first two, by 10 a rank and their place; the cells behind
/// them stand for the other ranks' first ones.
Outside outside_of(int rank, int ranks) {
  Outside outside;
  for (std::uint64_t cell = 0; cell < 2; ++cell)
    outside.leaving[cell] = {10 * static_cast<std::uint64_t>(rank) + cell, 0.5};
  for (int other = 0; other < ranks; ++other)
    if (other != rank)
      outside.coming[10 * static_cast<std::uint64_t>(other)] =
          CellId(own_cells + static_cast<std::uint64_t>(other));
  return outside;
}

TEST(Outside, SpikesComeAsThoseOfCellsElsewhere) {
  run_ranks(3, [](Ranks& ranks) {
    const int rank = ranks.number();
    const Outside outside = outside_of(rank, 3);
    const auto exchange =
        make_outside_exchange(make_exchange(ranks, {}, ExchangeKind::all), outside);
    for (int epoch = 0; epoch < 3; ++epoch) {
      const double now = epoch;
      const SpikeLists own{{{now + 0.1, CellId(0)}, {now + 0.2, CellId(1)}}, {{now, CellId(3)}}};
      exchange->send(own, {0, 1, 0, 0});
      const Exchange::Received received = exchange->receive();
      EXPECT_EQ(received.said.outputs, 3U);
      std::vector<CellSpike> all, wanted;
      for (const auto& some : received.spikes) all.insert(all.end(), some.begin(), some.end());
      for (const auto& some : own) wanted.insert(wanted.end(), some.begin(), some.end());
      for (const auto& [number, cell] : outside.coming) wanted.push_back({now + 0.1 + 0.5, cell});
      std::ranges::sort(all);
      std::ranges::sort(wanted);
      EXPECT_EQ(all, wanted);
    }
  });
}

TEST(Outside, CellsElsewhereAreNotHere) {
  models::Network network;
  network.populations.resize(3);
  for (std::uint64_t p = 0; p < 3; ++p) network.populations[p].size = 5 + p;
  const BesideOthers placement(network, PopulationId(1));
  for (const std::uint32_t p : {0U, 2U}) {
    EXPECT_EQ(placement.cells_of(PopulationId(p)).size(), 5U + p);
    EXPECT_EQ(placement.rank_of(PopulationId(p), 3), placement.rank());
  }
  EXPECT_EQ(placement.cells_of(PopulationId(1)).size(), 0U);
  EXPECT_NE(placement.rank_of(PopulationId(1), 3), placement.rank());
}

}  // namespace
}  // namespace hillock::network
