// What a run is said to take beside its cells and connections.

#include <cstdint>

#include <gtest/gtest.h>

#include "networks.hpp"
#include "simulator/ranks/memory_counts.hpp"

namespace hillock::simulator {
namespace {

/// Cells that may all spike at once, 16 bytes each; half of them in so short an epoch.
constexpr double spiking = 4e6, spikes_bytes = sizeof(network::CellSpike) * spiking / 2;

TEST(SpikeBytes, AreTwoEpochsAndAHalfAndOneThatWaits) {
  const SpikingCells all{spiking / 4, 3 * spiking / 4};
  SpikesOfRank of{
      .own = &all, .all = &all, .ranks = 1, .writes = false, .epoch_ms = 0.25, .run_ms = 90};
  EXPECT_EQ(spike_bytes(of), static_cast<std::uint64_t>(3.5 * spikes_bytes));
  of.ranks = 2;  // what is heard of all, and what is sent
  EXPECT_EQ(spike_bytes(of), static_cast<std::uint64_t>(8.5 * spikes_bytes));
}

TEST(SpikeBytes, OfASimulationAreOfItsEpochs) {
  auto network = passive_network(9);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.detector = models::Detector{at("soma", 0.5), -20, {}};
  SimulationOptions options;
  options.most_epoch_steps = 10;
  const Simulation simulation(network, options);
  const SpikingCells own = spiking_cells(network);
  ASSERT_GT(own.at(0), 0);
  const SimulationCounts& counts = simulation.counts();
  ASSERT_EQ(counts.epoch_steps, 10);
  EXPECT_EQ(counts.spike_bytes,
            spike_bytes({.own = &own, .all = &own, .epoch_ms = 0.25, .run_ms = 10}));
}

}  // namespace
}  // namespace hillock::simulator
