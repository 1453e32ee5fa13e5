// Rarely sampled recordings hold what densely sampled ones hold at the same times, and a network's
// connections are counted without making them.

#include <cstdint>

#include <gtest/gtest.h>

#include "networks.hpp"

namespace hillock::simulator {
namespace {

using Kind = models::RecordedVariable::Kind;

/// A cell with channels, an electrode and recordings of every kind.
models::Network sampled_network(double every_ms, double start_ms) {
  auto network = passive_network(9);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 300, 2, 3)}};
  cell.regions[0].mechanisms.push_back({"hh", {}, {}});
  models::CurrentClamp clamp;
  clamp.amplitude = 0.3;
  clamp.start_ms = 1.0;
  clamp.duration_ms = 5.0;
  clamp.at = at("soma", 0.5);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  record(network, {Kind::voltage, "", "", "mV"}, at("dend", 0.5));
  record(network, {Kind::membrane_current, "", "", "nA"}, at("soma", 0.5));
  record(network, {Kind::mechanism_variable, "hh", "m", "1"}, at("dend", 0.5));
  record(network, {Kind::mechanism_variable, "hh", "gna", "S/cm2"}, at("soma", 0.5));
  record(network, {Kind::ion_variable, "", "ina", "mA/cm2"}, at("soma", 0.5));
  for (auto& recording : network.recordings) {
    recording.every_ms = every_ms;
    recording.start_ms = start_ms;
  }
  return network;
}

TEST(Recording, SampledRarelyHoldsWhatItHoldsSampledOften) {
  const auto dense = simulate(sampled_network(0.025, 0)).reports;
  for (const std::int64_t epoch : {1, 7, 400}) {
    SimulationOptions options;
    options.most_epoch_steps = epoch;
    const auto rare = simulate(sampled_network(0.225, 0.5), options).reports;
    ASSERT_EQ(rare.size(), dense.size());
    for (std::size_t r = 0; r < rare.size(); ++r) {
      ASSERT_EQ(rare[r].size(), 43u * 9u);  // (10 - 0.5) / 0.225 begun
      for (std::size_t i = 0; i < rare[r].size(); ++i)
        ASSERT_EQ(rare[r][i], dense[r][(20 + 9 * (i / 9)) * 9 + i % 9]) << r << ' ' << i;
    }
  }
}

TEST(Recording, OfOneRecordingDoesNotDependOnTheOthers) {
  const auto together = simulate(sampled_network(0.1, 0)).reports;
  for (std::size_t r = 0; r < together.size(); ++r) {
    auto network = sampled_network(0.1, 0);
    network.recordings = {network.recordings[r]};
    EXPECT_EQ(simulate(network).reports[0], together[r]) << r;
  }
}

TEST(Recording, RowsByAStepAreOfItsOwnTimes) {
  auto network = sampled_network(0.1, 0);
  network.recordings[1].every_ms = 0.5;
  network.recordings[1].start_ms = 0.25;
  const Simulation simulation(network, {});
  EXPECT_EQ(simulation.rows_by(0, 40), 11u);  // by 1 ms
  EXPECT_EQ(simulation.rows_by(1, 40), 2u);
  EXPECT_EQ(simulation.rows_by(2, 39), 10u);
}

TEST(ExpectedConnections, CountAsIfTheyWereMade) {
  auto network = passive_network(20);
  models::Projection p;
  p.from = p.to = whole(network);
  p.connect.kind = models::ConnectionRule::Kind::fixed_indegree;
  p.connect.number = 6;
  p.link = models::Synapse{{"expsyn", {{"tau", 2.0}, {"e", 0.0}}, {}}, at("soma", 0.5)};
  p.weight = 0.001;
  p.delay.base_ms = 1.0;
  network.projections.push_back(p);
  SimulationOptions expected;
  expected.connections = Connections::expected;
  const Simulation counted(network, expected), made(network, {});
  EXPECT_EQ(counted.counts().connections, 120u);
  EXPECT_EQ(counted.counts().connections, made.counts().connections);
  EXPECT_EQ(counted.counts().synapses, made.counts().synapses);
  EXPECT_EQ(counted.counts().shortest_delay_ms, made.counts().shortest_delay_ms);
  EXPECT_EQ(counted.counts().epoch_steps, made.counts().epoch_steps);
  EXPECT_GE(counted.counts().connection_memory.kept, 120 * 4u);
  EXPECT_GE(made.counts().connection_bytes, 120 * 4u);
}

TEST(Activity, TellsThePhasesOfARun) {
  Activity activity;
  SimulationOptions options;
  options.activity = &activity;
  EXPECT_EQ(activity.look().number, 0u);
  simulate(passive_network(3), options);
  const auto last = activity.look();
  EXPECT_EQ(last.what, "running");
  EXPECT_EQ(last.done, 400u);
  EXPECT_EQ(last.total, 400u);
}

}  // namespace
}  // namespace hillock::simulator
