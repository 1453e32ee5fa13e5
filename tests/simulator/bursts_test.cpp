// Cells that spike nearly at once: so many events that groups get theirs when their turn comes.

#include <gtest/gtest.h>

#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

constexpr std::uint64_t cells = 600;

/// Passive cells that a pulse takes over the threshold, one after the other within a millisecond,
/// all connected to all by a synapse of that mechanism: 360,000 events.
models::Network burst(const char* mechanism, models::Value delay_ms) {
  models::Network network = passive_network(cells);
  network.run.steps = 120;
  network.run.duration_ms = 3;
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology = models::Morphology{{cylinder("soma", -1, 20, 20, 30)}};
  cell.detector = models::Detector{at("soma", 0.5), -55, {}};
  for (std::uint64_t i = 0; i < cells; ++i) {
    models::CurrentClamp pulse;
    pulse.at = at("soma", 0.5);
    pulse.amplitude = 5.0;
    pulse.start_ms = 0.2 + 0.001 * static_cast<double>(i);
    pulse.duration_ms = 0.1;
    models::Stimulus stimulus;
    stimulus.to = {PopulationId(0), i, i + 1, {}};
    stimulus.kind = pulse;
    network.stimuli.push_back(stimulus);
  }
  models::Projection p;
  p.from = p.to = whole(network);
  p.connect.kind = models::ConnectionRule::Kind::all_to_all;
  p.link = models::Synapse{{mechanism, {}, {}}, at("soma", 0.5)};
  p.weight = 1e-6;
  p.delay.base_ms = std::move(delay_ms);
  network.projections.push_back(p);
  models::RecordedVariable voltage;
  record(network, voltage, at("soma", 0.5));
  return network;
}

MemorySink run(const models::Network& network, std::int64_t most_epoch_steps, int threads) {
  SimulationOptions options;
  options.most_epoch_steps = most_epoch_steps;
  options.threads = threads;
  return simulate(network, options);
}

TEST(Bursts, GiveWhatEpochsOfOneStepGive) {
  for (const char* mechanism : {"expsyn", "tmsyn"}) {
    const models::Network network = burst(mechanism, 1.0);
    const MemorySink in_pieces = run(network, 1, 1);
    ASSERT_EQ(in_pieces.all_spikes.size(), cells) << mechanism;
    for (const int threads : {1, 3}) {
      const MemorySink at_once = run(network, 400, threads);
      EXPECT_EQ(at_once.all_spikes, in_pieces.all_spikes) << mechanism;
      EXPECT_EQ(at_once.reports, in_pieces.reports) << mechanism;
    }
  }
}

}  // namespace
}  // namespace hillock::simulator
