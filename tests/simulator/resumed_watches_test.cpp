// WATCHes that are reached before a run is saved, and again after it goes on (emitted/latch.mod).

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "emitted/LatchTest.hpp"
#include "tests/simulator/emitted_mechanism.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

SimulationOptions with_latch() {
  SimulationOptions options;
  options.mechanisms.add(emitted_mechanism<mechanisms::LatchTest>());
  return options;
}

/// A latch that an event reaches at some times, besides the beginning.
models::Stimulus latch(const models::Network& network, double target_mV,
                       std::vector<double> times) {
  models::EventSource source;
  source.source = models::SpikeTimes{std::move(times), {}};
  source.synapse = {{"latch", {{"target", target_mV}}, {}}, at("soma", 0.5)};
  source.weight = 1.0;
  return {"", whole(network), source, {}};
}

/// Somata that a clamp brings above the level of three latches at about 5 ms.
models::Network latched(const std::vector<double>& first_again) {
  auto network = passive_network(2);
  network.run.steps = 240;
  network.run.duration_ms = 6;
  models::CurrentClamp clamp;
  clamp.amplitude = 0.5;
  clamp.start_ms = 4.5;
  clamp.duration_ms = 10.0;
  clamp.at = at("soma", 0.5);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  network.stimuli.push_back(latch(network, -80, first_again));
  network.stimuli.push_back(latch(network, -85, {}));
  network.stimuli.push_back(latch(network, -90, {}));
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  return network;
}

/// The lowest voltage after the clamp began: that of the latch that acted last.
double lowest_mV(const std::vector<double>& v) {
  double lowest = 0;
  for (std::size_t i = 2 * 190; i < v.size(); ++i) lowest = std::min(lowest, v[i]);
  return lowest;
}

std::vector<double> resumed_at(const models::Network& network, std::int64_t step) {
  State saved;
  Saving saving;
  saving.every_steps = step;
  saving.keep = [&](State state, std::int64_t at) {
    if (at == step) saved = std::move(state);
  };
  MemorySink whole, rest;
  Simulation(network, with_latch())
      .run(
          whole, [](const Progress&) {}, saving);
  Simulation(network, with_latch()).resume(std::move(saved), rest, [](const Progress&) {});
  std::vector<double> rows(
      whole.reports[0].begin(),
      whole.reports[0].end() - static_cast<std::ptrdiff_t>(rest.reports[0].size()));
  rows.insert(rows.end(), rest.reports[0].begin(), rest.reports[0].end());
  return rows;
}

TEST(Watches, FireInTheOrderInWhichTheyWereReached) {
  EXPECT_LT(lowest_mV(simulate(latched({}), with_latch()).reports[0]), -88);
  const auto again = simulate(latched({3.0}), with_latch()).reports[0];
  EXPECT_GT(lowest_mV(again), -82);
}

TEST(Watches, FireInThatOrderInARunThatGoesOn) {
  for (const std::vector<double>& first_again : {std::vector<double>{}, {1.0}, {3.0}}) {
    const auto network = latched(first_again);
    const auto expected = simulate(network, with_latch()).reports[0];
    for (const std::int64_t step : {20, 80, 160}) EXPECT_EQ(resumed_at(network, step), expected);
  }
}

}  // namespace
}  // namespace hillock::simulator
