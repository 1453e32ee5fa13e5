// Point neurons that can be followed by hand: what arrives when, when a neuron spikes, and the
// published program of Izhikevich's network beside the same network here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "mechanisms/runtime/step_draws.hpp"
#include "network/connectivity.hpp"
#include "network/events.hpp"
#include "network/propagation/sum_grid.hpp"
#include "network/propagation/synapse_table.hpp"
#include "tests/simulator/on_ranks.hpp"
#include "tests/simulator/point_networks.hpp"

namespace hillock::simulator {
namespace {

models::Cell izhikevich(std::map<std::string, models::Value> parameters = {}) {
  return {"i", models::ArtificialCell{{"izhikevich", std::move(parameters), {}}}, {}};
}

models::Network neurons(double dt_ms, std::int64_t steps, std::uint64_t sources,
                        std::uint64_t targets) {
  models::Network network;
  network.run.dt_ms = dt_ms;
  network.run.steps = steps;
  network.run.duration_ms = static_cast<double>(steps) * dt_ms;
  network.cells.push_back(izhikevich());
  network.populations.push_back({"sources", 0, sources, {}, {}});
  network.populations.push_back({"targets", 0, targets, {}, {}});
  return network;
}

/// (step, cell) of all spikes, which lie on steps.
using Fired = std::multiset<std::pair<std::int64_t, std::uint64_t>>;

Fired fired(const models::Network& network, const MemorySink& sink) {
  Fired all;
  for (const network::CellSpike& spike : sink.all_spikes) {
    const double step = spike.time_ms / network.run.dt_ms;
    EXPECT_NEAR(step, std::round(step), 1e-9);
    all.emplace(std::llround(step), spike.cell.value);
  }
  return all;
}

/// Runs it on threads, ranks and in epochs of many lengths.
void expect_fired(const models::Network& network, const Fired& expected) {
  for (const int threads : {1, 3})
    for (const std::int64_t epoch : {400, 7, 1}) {
      SimulationOptions options;
      options.threads = threads;
      options.most_epoch_steps = epoch;
      EXPECT_EQ(fired(network, simulate(network, options)), expected) << threads << " " << epoch;
    }
  for (const int ranks : {2, 4})
    for (const Overlap overlap : {Overlap::no, Overlap::yes})
      EXPECT_EQ(fired(network, simulate_on(network, {ranks, ExchangeKind::all, overlap}).sink),
                expected)
          << ranks;
}

TEST(PointNeurons, SpikeWithTheTimeOfTheStepTheyCrossInAndAfterEveryDelayOfAList) {
  constexpr double dt_ms = 0.1;
  constexpr std::int64_t longest = 300;
  models::Network network = neurons(dt_ms, 700, 1, longest);
  spark_at(network, 0, {{1.0, 25.7}});
  models::Projection& each = project(network, models::ConnectionRule::Kind::list);
  for (std::uint64_t t = 0; t < longest; ++t)
    add_row(each, 0, t, {}, static_cast<double>(t + 1) * dt_ms);
  Fired expected;
  for (const std::int64_t step : {10, 257}) {
    expected.emplace(step, 0);
    for (std::int64_t delay = 1; delay <= longest; ++delay)
      expected.emplace(step + delay, static_cast<std::uint64_t>(delay));
  }
  expect_fired(network, expected);
}

TEST(PointNeurons, TakeDelaysThatAreNoWholeStepsAsTheNearest) {
  models::Network network = neurons(0.1, 100, 1, 5);
  spark_at(network, 0, {{2.0}});
  models::Projection& each = project(network, models::ConnectionRule::Kind::list);
  const double delays_ms[] = {0.12, 0.149, 0.151, 0.26, 1.749};
  const std::int64_t steps[] = {1, 1, 2, 3, 17};
  Fired expected{{20, 0}};
  for (std::uint64_t t = 0; t < 5; ++t) {
    add_row(each, 0, t, {}, delays_ms[t]);
    expected.emplace(20 + steps[t], 1 + t);
  }
  expect_fired(network, expected);
}

TEST(PointNeurons, SpikeAfterDrawnDelays) {
  models::Network network = neurons(0.1, 900, 6, 60);
  std::vector<std::vector<double>> times_ms(6);
  for (std::size_t s = 0; s < 6; ++s) times_ms[s] = {static_cast<double>(70 * s) * 0.1};
  spark_at(network, 0, times_ms);
  models::Projection& drawn = project(network, models::ConnectionRule::Kind::fixed_indegree);
  drawn.connect.number = 2;
  drawn.delay.base_ms =
      models::Value(models::Distribution{models::Distribution::Kind::uniform, 0.1, 30}, Place{});
  Fired expected;
  for (std::int64_t s = 0; s < 6; ++s) expected.emplace(70 * s, s);
  const network::Connector connector(network, 0);
  network::Connector::Scratch scratch;
  for (std::uint64_t t = 0; t < 60; ++t) {
    std::vector<network::Connection> connections;
    connector.connect(t, scratch, connections);
    ASSERT_EQ(connections.size(), 2u);
    std::set<std::int64_t> steps;
    for (const network::Connection& c : connections)
      steps.insert(70 * static_cast<std::int64_t>(c.source) +
                   network::delay_steps(c.delay_ms, {network.run.dt_ms}));
    for (const std::int64_t step : steps) expected.emplace(step, 6 + t);
  }
  expect_fired(network, expected);
}

TEST(PointNeurons, PassSpikesRoundARingInStepsOfTheirDelay) {
  models::Network network = neurons(1, 200, 20, 1);
  spark_at(network, 0,
           {{3}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
  models::Projection& next = project(network, models::ConnectionRule::Kind::list, 0, 0);
  for (std::uint64_t c = 0; c < 20; ++c) add_row(next, c, (c + 1) % 20, {}, c % 2 == 0 ? 1.0 : 3.0);
  Fired expected;
  std::int64_t step = 3;
  for (std::uint64_t hop = 0; step < 200; ++hop) {
    expected.emplace(step, hop % 20);
    step += hop % 2 == 0 ? 1 : 3;
  }
  expect_fired(network, expected);
}

/// Izhikevich's program of 2003: at the beginning of a step the neurons that have reached 30 mV
/// spike and are reset, then their weights and the noise act. Spikes have the time of that step.
class PublishedProgram {
 public:
  PublishedProgram(std::size_t neurons, std::vector<double> weights)
      : v_(neurons, -65), u_(neurons, 0.2 * -65), weights_(std::move(weights)) {}

  void step(std::int64_t t, std::vector<double> input, Fired& spikes) {
    const std::size_t n = v_.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (v_[i] < 30) continue;
      spikes.emplace(t, i);
      v_[i] = -65;
      u_[i] += 8;
      for (std::size_t j = 0; j < n; ++j) input[j] += weights_[j * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (int half = 0; half < 2; ++half)
        v_[i] += 0.5 * (0.04 * v_[i] * v_[i] + 5 * v_[i] + 140 - u_[i] + input[i]);
      u_[i] += 0.02 * (0.2 * v_[i] - u_[i]);
    }
  }

 private:
  std::vector<double> v_, u_;
  std::vector<double> weights_;  ///< [target][source]
};

TEST(PointNeurons, GiveTheSpikesOfIzhikevichsProgramAStepBefore) {
  constexpr std::size_t n = 40;
  constexpr std::int64_t steps = 300;
  models::Network network = neurons(1, steps, n, 1);
  network.run.seed = 11;
  network.stimuli.push_back({"", whole(network), models::GaussianInput{1.0, 6.0}, {}});
  models::Projection& all = project(network, models::ConnectionRule::Kind::list, 0, 0);
  all.delay.base_ms = 1.0;
  std::vector<double> weights(n * n);
  RandomStream draws(1, Purpose::stimulus, {});
  for (std::uint64_t source = 0; source < n; ++source)
    for (std::uint64_t target = 0; target < n; ++target) {
      const double weight = source < 32 ? 0.5 * draws.uniform() : -draws.uniform();
      weights[target * n + source] = weight;
      add_row(all, source, target, weight, {});
    }
  PublishedProgram program(n, weights);
  Fired published;
  for (std::int64_t t = 0; t <= steps; ++t) {
    std::vector<double> noise(n);
    for (std::size_t i = 0; i < n; ++i)
      noise[i] = 1 + 6 * mechanisms::step_normal(11, 0, i, static_cast<std::uint64_t>(t));
    program.step(t, noise, published);
  }
  Fired expected;
  for (const auto& [t, neuron] : published) expected.emplace(t - 1, neuron);
  ASSERT_GT(expected.size(), 100u);
  expect_fired(network, expected);
}

TEST(PointNeurons, DrawPoissonCountsThatTheirTrainsMean) {
  models::Network network = neurons(0.5, 2000, 200, 1);
  models::PoissonSource poisson;
  poisson.rate_Hz = 30.0;
  poisson.period.start_ms = 100.0;
  poisson.period.stop_ms = 900.0;
  models::EventSource events;
  events.source = poisson;
  events.weight = spark;
  events.delay_ms = 10.0;
  network.stimuli.push_back({"", whole(network), events, {}});
  const Fired spikes = fired(network, simulate(network));
  expect_fired(network, spikes);
  for (const auto& [step, cell] : spikes) {
    EXPECT_GE(step, 220);
    EXPECT_LT(step, 1820);
  }
  const double expected = 200 * 0.8 * 30;  // but for two events in a step of 0.5 ms
  const double counted = -std::expm1(-0.015) / 0.015;
  EXPECT_NEAR(static_cast<double>(spikes.size()), expected * counted, 5 * std::sqrt(expected));
}

TEST(PointNeurons, AreDrivenByNoiseWhileItIsThere) {
  const auto driven = [](models::Value start_ms, models::Value stop_ms) {
    models::Network network = neurons(0.5, 400, 50, 1);
    network.stimuli.push_back(
        {"", whole(network), models::GaussianInput{12.0, 6.0, {start_ms, stop_ms}}, {}});
    return fired(network, simulate(network));
  };
  const auto within = [](const Fired& spikes, std::int64_t first, std::int64_t last) {
    Fired some;
    std::ranges::copy_if(spikes, std::inserter(some, some.end()), [&](const auto& spike) {
      return spike.first >= first && spike.first < last;
    });
    return some;
  };
  const Fired always = driven(0.0, 1e9), early = driven(0.0, 100.0), late = driven(100.0, 1e9);
  EXPECT_FALSE(always.empty());
  EXPECT_EQ(within(early, 0, 200), within(always, 0, 200));
  EXPECT_LT(early.size(), always.size());
  EXPECT_TRUE(within(early, 240, 800).empty());
  EXPECT_TRUE(within(late, 0, 200).empty());
  EXPECT_FALSE(late.empty());
}

TEST(PointNeurons, AddUpWhatArrivesInAStepWhateverItsOrder) {
  models::Network network = neurons(0.1, 60, 30, 1);
  spark_at(network, 0, std::vector<std::vector<double>>(30, {1.0}));
  models::Projection& all = project(network, models::ConnectionRule::Kind::all_to_all);
  all.weight =
      models::Value(models::Distribution{models::Distribution::Kind::normal, 0.3, 2}, Place{});
  all.delay.base_ms = 1.0;
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "izhikevich", "v", "mV"},
         {});
  network.recordings.back().of = whole(network, 1);
  const auto rows = simulate(network).reports;
  for (const int ranks : {2, 3}) EXPECT_EQ(simulate_on(network, {ranks}).sink.reports, rows);
  std::ranges::reverse(network.projections);
  EXPECT_EQ(simulate(network).reports, rows);
  EXPECT_NE(rows[0][20], rows[0][21]);  // it arrived before step 20
}

std::string refusal(const models::Network& network) {
  try {
    simulate(network);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PointNeurons, RefuseWeightsThatTheSumsWouldNotTell) {
  models::Network network = neurons(1, 10, 3, 3);
  project(network, models::ConnectionRule::Kind::all_to_all).delay.base_ms = 1.0;
  models::Projection& small = project(network, models::ConnectionRule::Kind::one_to_one);
  small.delay.base_ms = 1.0;
  small.place = {"model.yaml", 7, 3};
  small.weight = -spark * network::SumGrid::least_ratio;
  EXPECT_EQ(refusal(network), "");
  small.weight = 0.0;
  EXPECT_EQ(refusal(network), "");
  small.weight = 1e-4;
  EXPECT_THAT(refusal(network),
              testing::AllOf(testing::HasSubstr("model.yaml:7:3"),
                             testing::HasSubstr("the largest weight here is 0.0001 and the largest "
                                                "onto targets 2000"),
                             testing::HasSubstr("must be at least 0.00190735")));
  network.projections.pop_back();
  models::EventSource events;
  events.source = models::PoissonSource{10.0};
  events.weight = 1e-4;
  network.stimuli.push_back({"", whole(network, 1), events, {"model.yaml", 9, 5}});
  EXPECT_THAT(refusal(network), testing::HasSubstr("model.yaml:9:5"));
}

TEST(PointNeurons, RefuseMoreConnectionsThanAddUp) {
  models::Network network = neurons(1, 1, 3, 2);
  models::Projection& many = project(network, models::ConnectionRule::Kind::fixed_total_number);
  many.to.begin = 1;  // the other one has none
  many.connect.multapses = models::Multapses::allowed;
  many.connect.number = network::SumGrid::most_connections + 1;
  many.delay.base_ms = 1.0;
  many.place = {"model.yaml", 7, 3};
  EXPECT_THAT(refusal(network),
              testing::AllOf(testing::HasSubstr("model.yaml:7:3"),
                             testing::HasSubstr("targets[1] has 4194305 connections; at most "
                                                "4194304 can be added up in a point neuron")));
}

TEST(PointNeurons, SayWhoseVariableIsNoNumber) {
  models::Network network = neurons(1, 40, 3, 1);
  network.cells[0] = izhikevich({{"c", -1e4}});
  spark_at(network, 0, {{}, {5.0}, {}});
  EXPECT_THAT(refusal(network), testing::MatchesRegex("izhikevich\\.[uv] is not a finite number at "
                                                      "40 ms in sources\\[1\\]"));
}

}  // namespace
}  // namespace hillock::simulator
