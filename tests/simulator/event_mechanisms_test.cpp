// Mechanisms that send events themselves and connections that remember, in whole runs.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "networks.hpp"

namespace hillock::simulator {
namespace {

constexpr double tau = 10, refrac = 5;

/// `size` integrate-and-fire cells in a ring, the first driven at the given times.
models::Network artificial_ring(std::uint64_t size, std::vector<double> times) {
  models::Network network;
  network.run.dt_ms = 0.025;
  network.run.steps = 2000;
  network.run.duration_ms = 50;
  network.cells.push_back(
      {"cell", models::ArtificialCell{{"intfire", {{"tau", tau}, {"refrac", refrac}}, {}}}, {}});
  network.populations.push_back({"p", 0, size, {}, {}});
  models::EventSource source;
  source.source = models::SpikeTimes{std::move(times), {}};
  source.weight = 0.6;
  network.stimuli.push_back({"", {PopulationId(0), 0, 1, {}}, source, {}});
  models::Projection p;
  p.from = p.to = whole(network);
  p.connect.kind = models::ConnectionRule::Kind::list;
  for (std::uint32_t i = 0; i < size; ++i) {
    p.connect.rows.sources.push_back(i);
    p.connect.rows.targets.push_back(static_cast<std::uint32_t>((i + 1) % size));
  }
  p.connect.rows.listed = size;
  p.weight = 1.1;
  p.delay.base_ms = 1.51;
  network.projections.push_back(p);
  return network;
}

TEST(ArtificialCell, FiresAtTheExactTimeOfTheEventThatFillsIt) {
  // 0.6·exp(-1.013/10) + 0.6 > 1; deaf until 7.02; 7.5 and 8 fill it again.
  const auto sink = simulate(artificial_ring(1, {1.007, 2.02, 3, 6.9, 7.5, 8}));
  ASSERT_GE(sink.all_spikes.size(), 2u);
  EXPECT_EQ(sink.all_spikes[0].time_ms, 2.02);
  EXPECT_EQ(sink.all_spikes[1].time_ms, 8);
}

TEST(ArtificialCell, SpikesTravelWithoutBeingRoundedToSteps) {
  const auto sink = simulate(artificial_ring(4, {1, 2.013}));
  ASSERT_EQ(sink.all_spikes.size(), 32u);  // (50 - 2.013) / 1.51, while nobody is deaf any more
  for (std::size_t i = 0; i < sink.all_spikes.size(); ++i) {
    EXPECT_NEAR(sink.all_spikes[i].time_ms, 2.013 + 1.51 * static_cast<double>(i), 1e-12);
    EXPECT_EQ(sink.all_spikes[i].cell, CellId(i % 4));
  }
}

TEST(ArtificialCell, NeitherThreadsNorEpochsMatter) {
  const auto network = artificial_ring(11, {1, 2, 9, 9.5, 17, 17.1});
  const auto reference = simulate(network).all_spikes;
  ASSERT_GT(reference.size(), 30u);
  for (const int threads : {1, 3, 20})
    for (const std::int64_t epoch : {1, 7, 400}) {
      SimulationOptions options;
      options.threads = threads;
      options.most_epoch_steps = epoch;
      EXPECT_EQ(simulate(network, options).all_spikes, reference) << threads << ' ' << epoch;
    }
}

/// Two trains into tmsyn at one place: each has its own resources. After n events in quick
/// succession a connection with U and no recovery releases U·(1-U)^(n-1) of its weight.
TEST(Connections, RememberTheirArguments) {
  auto network = passive_network(3);
  constexpr double U = 0.4, weight = 0.001;
  for (const auto& times : {std::vector<double>{1, 2}, std::vector<double>{2}}) {
    models::EventSource source;
    source.source = models::SpikeTimes{times, {}};
    source.synapse = {{"tmsyn", {{"U", U}, {"tau_rec", 1e9}, {"tau", 1e9}}, {}}, at("soma", 0.5)};
    source.weight = weight;
    network.stimuli.push_back({"", whole(network), source, {}});
  }
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "tmsyn", "g", "uS"},
         at("soma", 0.5));
  const auto g = simulate(network).reports[0];
  // 1e-7: what recovers and decays within a few ms of 1e9.
  for (const std::size_t cell : {0, 1, 2}) {
    EXPECT_NEAR(g[3 * 60 + cell], weight * U, 1e-7 * weight);
    EXPECT_NEAR(g[3 * 100 + cell], weight * (U + U * (1 - U) + U), 1e-7 * weight);
  }
}

}  // namespace
}  // namespace hillock::simulator
