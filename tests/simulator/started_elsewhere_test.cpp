// A run that begins at any step, with a state that somebody puts in.

#include <gtest/gtest.h>

#include "tests/simulator/mixed_network.hpp"

namespace hillock::simulator {
namespace {

const auto no_progress = [](const Progress&) {};

TEST(StartedElsewhere, WithTheStateOfARunIsThatRun) {
  const models::Network network = mixed_network();
  State saved;
  Saving saving;
  saving.every_steps = 500;
  saving.keep = [&](State state, std::int64_t step) {
    if (step == 500) saved = std::move(state);
  };
  MemorySink whole, before, rest;
  Simulation(network, {}).run(whole, no_progress, saving);
  Simulation started(network, {});
  started.begin(before);
  started.start_at(rest, 500, [&](State& state) { state = saved; });
  started.advance(network.run.steps, no_progress);
  ASSERT_EQ(rest.reports.size(), whole.reports.size());
  for (std::size_t r = 0; r < rest.reports.size(); ++r) {
    ASSERT_FALSE(rest.reports[r].empty());
    ASSERT_LT(rest.reports[r].size(), whole.reports[r].size());
    EXPECT_TRUE(
        std::equal(rest.reports[r].rbegin(), rest.reports[r].rend(), whole.reports[r].rbegin()))
        << r;
  }
}

/// Conductances of a synapse on each of two cells behind step 40, at whose boundary a spike of the
/// first reaches the second.
std::vector<double> conductance_after(bool was_heard) {
  models::Network network = passive_network(2);
  std::get<models::CableCell>(network.cells[0].kind).detector =
      models::Detector{at("soma", 0.5), 0, {}};
  network.run.steps = 80;
  network.run.duration_ms = 80 * network.run.dt_ms;
  models::Projection p;
  p.name = "one";
  p.from = p.to = whole(network);
  p.connect.kind = models::ConnectionRule::Kind::all_to_all;
  p.weight = 0.01;
  p.delay.base_ms = 10 * network.run.dt_ms;
  p.link = models::Synapse{{"expsyn", {}, {}}, at("soma", 0.5), false};
  network.projections.push_back(p);
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "expsyn", "g", "uS"},
         at("soma", 0.5));
  network.recordings.back().stop_ms = network.run.duration_ms;
  MemorySink before, sink;
  Simulation simulation(network, {});
  simulation.begin(before);
  simulation.start_at(sink, 40, [&](State& state) {
    CellColumn& spikes = state.of(network.populations[0].name).columns["spikes/time"];
    spikes.numbers = {};
    spikes.counts = {};
    spikes.numbers.push_back(30 * network.run.dt_ms);  // of the first cell
    spikes.counts.push_back(1);
    spikes.counts.push_back(0);
    if (was_heard) state["run/heard_ms"].put(40 * network.run.dt_ms + 1e-9);
  });
  simulation.advance(network.run.steps, no_progress);
  return sink.reports.at(0);
}

TEST(StartedElsewhere, HearsOnlyOfWhatWasNotHeard) {
  const std::vector<double> heard_now = conductance_after(false);
  const std::vector<double> heard_before = conductance_after(true);
  ASSERT_GT(heard_now.size(), 2U);
  EXPECT_EQ(heard_now[0], 0);
  EXPECT_GT(heard_now[1], 0.005);
  for (const double g : heard_before) EXPECT_EQ(g, 0);
}

TEST(StartedElsewhere, MayBeAtTheBeginning) {
  const models::Network network = mixed_network();
  MemorySink whole, before, rest;
  Simulation(network, {}).run(whole, no_progress);
  Simulation started(network, {});
  started.begin(before);
  started.start_at(rest, 0, [](State&) {});
  started.advance(network.run.steps, no_progress);
  ASSERT_EQ(rest.reports.size(), whole.reports.size());
  for (std::size_t r = 0; r < rest.reports.size(); ++r)
    EXPECT_TRUE(
        std::equal(rest.reports[r].rbegin(), rest.reports[r].rend(), whole.reports[r].rbegin()))
        << r;
}

}  // namespace
}  // namespace hillock::simulator
