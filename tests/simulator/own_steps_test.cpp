// Point neurons whose step is several of the run's: what arrives when, that they do what they do in
// a run of such steps, and that nothing depends on how the run is cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "tests/simulator/on_ranks.hpp"
#include "tests/simulator/point_networks.hpp"

namespace hillock::simulator {
namespace {

models::Value uniform(double min, double max) {
  return models::Value(models::Distribution{models::Distribution::Kind::uniform, min, max},
                       Place{});
}

models::Network run_of(double dt_ms, std::int64_t steps) {
  models::Network network;
  network.run.dt_ms = dt_ms;
  network.run.steps = steps;
  network.run.duration_ms = static_cast<double>(steps) * dt_ms;
  network.run.seed = 5;
  for (const char* neuron : {"izhikevich", "iaf_psc_exp"})
    network.cells.push_back({neuron, models::ArtificialCell{{neuron, {}, {}}}, {}});
  network.cells.push_back({"ball", ball(), {}});
  return network;
}

enum Cell : std::size_t { izhikevich, leaky, with_a_membrane };

std::uint32_t add_population(models::Network& network, Cell cell, std::uint64_t size,
                             double step_ms = 0) {
  models::Population population{
      "p" + std::to_string(network.populations.size()), cell, size, {}, {}};
  if (step_ms > 0)
    population.step = models::PointStep{step_ms, std::llround(step_ms / network.run.dt_ms)};
  network.populations.push_back(population);
  return static_cast<std::uint32_t>(network.populations.size() - 1);
}

std::vector<network::CellSpike> sorted_spikes(MemorySink sink) {
  std::ranges::sort(sink.all_spikes);
  return sink.all_spikes;
}

template <class List>
bool is_end_of(const List& rest, const List& all) {
  return rest.size() <= all.size() && std::equal(rest.rbegin(), rest.rend(), all.rbegin());
}

/// Runs it on threads, ranks and in epochs of many lengths, and from where it was saved.
void expect_same_everywhere(const models::Network& network) {
  const MemorySink alone = simulate(network);
  const auto spikes = sorted_spikes(alone);
  for (const int threads : {1, 3})
    for (const std::int64_t epoch : {16, 7, 1}) {
      SimulationOptions options;
      options.threads = threads;
      options.most_epoch_steps = epoch;
      const MemorySink cut = simulate(network, options);
      EXPECT_EQ(sorted_spikes(cut), spikes) << threads << " threads, epochs of " << epoch;
      EXPECT_EQ(cut.reports, alone.reports) << threads << " threads, epochs of " << epoch;
    }
  for (const int ranks : {1, 2, 3})
    for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
      const MadeOnRanks made = simulate_on(network, {ranks, ExchangeKind::all, overlap, 43});
      EXPECT_EQ(sorted_spikes(made.sink), spikes) << ranks << " ranks";
      EXPECT_EQ(made.sink.reports, alone.reports) << ranks << " ranks";
      for (const auto& [step, state] : made.saved) {
        const MadeOnRanks rest =
            simulate_on(network, {4 - ranks, ExchangeKind::all, overlap, 0, &state});
        for (std::uint32_t p = 0; p < network.populations.size(); ++p)
          EXPECT_TRUE(is_end_of(by_population(network, rest)[p], by_population(network, made)[p]))
              << "population " << p << " from step " << step;
        for (std::size_t r = 0; r < alone.reports.size(); ++r)
          EXPECT_TRUE(is_end_of(rest.sink.reports[r], alone.reports[r])) << "from step " << step;
      }
    }
}

/// (own step, cell) of a population's spikes.
std::multiset<std::pair<std::int64_t, std::uint64_t>> fired(const models::Network& network,
                                                            std::uint32_t population,
                                                            const MemorySink& sink) {
  std::multiset<std::pair<std::int64_t, std::uint64_t>> all;
  for (const network::CellSpike& spike : sink.all_spikes) {
    const auto [p, index] = network.population_of(spike.cell);
    if (p.value != population) continue;
    const double step = spike.time_ms / network.step_of(p).ms;
    EXPECT_NEAR(step, std::round(step), 1e-9);
    all.emplace(std::llround(step), index);
  }
  return all;
}

TEST(OwnSteps, HearASpikeInTheStepNearestToItsArrivalThatBeginsAfterIt) {
  for (const std::int64_t run_steps : {2, 4, 5}) {
    models::Network network = run_of(0.1, 120);
    const double step_ms = static_cast<double>(run_steps) * 0.1;
    constexpr std::int64_t spikes = 12, delays = 30;
    const std::uint32_t sources = add_population(network, izhikevich, spikes);
    const std::uint32_t targets = add_population(network, izhikevich, spikes * delays, step_ms);
    models::Projection& each =
        project(network, models::ConnectionRule::Kind::list, sources, targets);
    std::vector<std::vector<double>> times_ms;
    std::multiset<std::pair<std::int64_t, std::uint64_t>> expected;
    for (std::int64_t s = 0; s < spikes; ++s) {
      times_ms.push_back({static_cast<double>(20 + s) * 0.1});
      for (std::int64_t d = 0; d < delays; ++d) {
        const double delay = 1.0 + 0.7 * static_cast<double>(d);  // in steps of the run
        const auto target = static_cast<std::uint64_t>(s * delays + d);
        add_row(each, static_cast<std::uint64_t>(s), target, {}, delay * 0.1);
        const double arrival = static_cast<double>(20 + s) + delay;
        const auto nearest = static_cast<std::int64_t>(
            std::floor(arrival / static_cast<double>(run_steps) + 0.5 + 1e-9));
        expected.emplace(std::max(nearest, (20 + s) / run_steps + 1), target);
      }
    }
    spark_at(network, sources, times_ms);
    EXPECT_EQ(fired(network, targets, simulate(network)), expected) << run_steps;
    expect_same_everywhere(network);
  }
}

TEST(OwnSteps, TakeWhatStimuliGiveInTheNearestStep) {
  models::Network network = run_of(0.1, 60);
  const std::uint32_t p = add_population(network, izhikevich, 4, 0.5);
  spark_at(network, p, {{0.74, 3.0}, {0.76}, {5.7}, {}});
  EXPECT_EQ(
      fired(network, p, simulate(network)),
      (std::multiset<std::pair<std::int64_t, std::uint64_t>>{{1, 0}, {6, 0}, {2, 1}, {11, 2}}));
  expect_same_everywhere(network);
}

TEST(OwnSteps, SendSpikesToFasterNeuronsAfterTheirDelays) {
  models::Network network = run_of(0.1, 90);
  const std::uint32_t sources = add_population(network, izhikevich, 1, 0.4);
  const std::uint32_t targets = add_population(network, izhikevich, 20);
  models::Projection& each = project(network, models::ConnectionRule::Kind::list, sources, targets);
  std::multiset<std::pair<std::int64_t, std::uint64_t>> expected;
  spark_at(network, sources, {{1.2, 4.4}});
  for (std::uint64_t t = 0; t < 20; ++t) {
    add_row(each, 0, t, {}, 0.4 + 0.1 * static_cast<double>(t));
    for (const std::int64_t step : {12, 44})
      expected.emplace(step + 4 + static_cast<std::int64_t>(t), t);
  }
  EXPECT_EQ(fired(network, targets, simulate(network)), expected);
  expect_same_everywhere(network);
}

/// Neurons of two kinds that excite and inhibit each other, with noise and trains.
models::Network recurrent(double dt_ms, double duration_ms, double step_ms) {
  models::Network network = run_of(dt_ms, std::llround(duration_ms / dt_ms));
  const std::uint32_t a = add_population(network, izhikevich, 60, step_ms);
  const std::uint32_t b = add_population(network, leaky, 40, step_ms);
  const auto join = [&](std::uint32_t from, std::uint32_t to, models::Value weight,
                        models::Value delay_ms) {
    models::Projection& p =
        project(network, models::ConnectionRule::Kind::fixed_indegree, from, to);
    p.connect.number = 9;
    p.weight = std::move(weight);
    p.delay.base_ms = std::move(delay_ms);
  };
  join(a, a, uniform(-6, 9), uniform(step_ms, 9));
  join(a, b, 300.0, uniform(step_ms, 4));
  join(b, a, uniform(-2, 5), uniform(step_ms, 7));
  join(b, b, -150.0, step_ms);
  network.stimuli.push_back({"", whole(network, a), models::GaussianInput{3.0, 6.0}, {}});
  network.stimuli.push_back({"", whole(network, b), models::GaussianInput{350.0, 90.0}, {}});
  models::EventSource events;
  models::PoissonSource poisson;
  poisson.rate_Hz = uniform(50, 900);
  poisson.period.start_ms = 3.3;
  events.source = poisson;
  events.weight = 90.0;
  network.stimuli.push_back({"", whole(network, b), events, {}});
  events.source = models::SpikeTimes{{7.0, 7.1, 12.4, 20.0}, {}};
  events.weight = 40.0;
  network.stimuli.push_back({"", whole(network, a), events, {}});
  return network;
}

void record_of(models::Network& network, std::uint32_t p, const char* neuron, const char* variable,
               double every_ms) {
  record(network, {models::RecordedVariable::Kind::mechanism_variable, neuron, variable, ""}, {});
  network.recordings.back().of = whole(network, p);
  network.recordings.back().every_ms = every_ms;
}

TEST(OwnSteps, DoWhatTheyDoInARunOfSuchSteps) {
  for (const auto& [dt_ms, step_ms] : {std::pair(0.025, 1.0), {0.1, 0.3}, {0.1, 0.2}}) {
    models::Network slow = recurrent(step_ms, 120, step_ms);
    for (models::Population& population : slow.populations) population.step.reset();
    models::Network fine = recurrent(dt_ms, 120, step_ms);
    for (models::Network* network : {&slow, &fine}) {
      record_of(*network, 0, "izhikevich", "u", step_ms);
      record_of(*network, 1, "iaf_psc_exp", "V_m", step_ms);
    }
    const MemorySink expected = simulate(slow), is = simulate(fine);
    EXPECT_GT(expected.all_spikes.size(), 200u);
    EXPECT_EQ(sorted_spikes(is), sorted_spikes(expected)) << step_ms;
    EXPECT_EQ(is.reports, expected.reports) << step_ms;
  }
}

TEST(OwnSteps, HoldWhatIsRecordedBetweenTheirSteps) {
  models::Network network = recurrent(0.1, 30, 0.4);
  record_of(network, 0, "izhikevich", "v", 0.1);
  record_of(network, 1, "iaf_psc_exp", "V_m", 0.3);
  const auto reports = simulate(network).reports;
  const auto value = [&](std::size_t report, std::size_t row, std::size_t column) {
    return reports[report][row * (report == 0 ? 60 : 40) + column];
  };
  std::size_t changes = 0;
  for (std::size_t row = 1; row <= 300; ++row) {
    if (row % 4 != 0)
      EXPECT_EQ(value(0, row, 7), value(0, row - 1, 7)) << row;
    else
      changes += value(0, row, 7) != value(0, row - 1, 7);
  }
  EXPECT_GT(changes, 70u);
  EXPECT_EQ(value(1, 5, 5), value(1, 4, 5));  // at 1.5 ms what was at 1.2 ms
  EXPECT_NE(value(1, 2, 5), value(1, 1, 5));
  expect_same_everywhere(network);
}

/// Cells with a membrane, Izhikevich's neurons of 1 ms and leaky ones of 0.5 ms, all round.
models::Network mixed() {
  models::Network network = run_of(0.025, 1600);
  const std::uint32_t a = add_population(network, izhikevich, 30, 1.0);
  const std::uint32_t b = add_population(network, leaky, 30, 0.5);
  const std::uint32_t balls = add_population(network, with_a_membrane, 20);
  network.cells.push_back(network.cells[leaky]);  // population n is of cell n for connect()
  const std::uint32_t c = add_population(network, leaky, 10);
  connect(network, balls, balls, 0.01, 1.1);
  connect(network, a, balls, 0.02, 1.0);
  connect(network, b, balls, 0.02, 0.6);
  connect(network, balls, a, 9, 0.7);
  connect(network, balls, b, 500, 0.65);
  connect(network, a, b, 300, 1.7);
  connect(network, b, a, 5, 0.55);
  connect(network, b, c, 900, 0.9);
  connect(network, c, a, 3, 0.61);
  drive(network, balls, 0, 12, 1e9);
  network.stimuli.push_back({"", whole(network, a), models::GaussianInput{4.0, 6.0}, {}});
  network.stimuli.push_back({"", whole(network, b), models::GaussianInput{370.0, 90.0}, {}});
  record_of(network, a, "izhikevich", "v", 0.35);
  return network;
}

TEST(OwnSteps, StandBesideCellsWithAMembrane) {
  models::Network network = mixed();
  const MemorySink sink = simulate(network);
  for (std::uint32_t p = 0; p < 4; ++p)
    EXPECT_GT(std::ranges::count_if(
                  sink.all_spikes,
                  [&](const auto& s) { return network.population_of(s.cell).first.value == p; }),
              10)
        << p;
  expect_same_everywhere(network);
  network.populations[0].step = models::PointStep{0.925, 37};
  network.populations[1].step = models::PointStep{0.275, 11};
  expect_same_everywhere(network);
}

TEST(OwnSteps, NeedDelaysAsLongAsTheStepWhereSpikesHaveTheTimeOfItsBeginning) {
  models::Network network = mixed();
  network.projections[1].delay.base_ms = 0.975;
  network.projections[1].delay.place = {"model.yaml", 7, 3};
  for (const Connections how : {Connections::made, Connections::expected}) {
    SimulationOptions options;
    options.connections = how;
    try {
      const Simulation simulation(network, options);
      FAIL() << "nothing was thrown";
    } catch (const InvalidModel& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("model.yaml:7:3"),
                                               testing::HasSubstr("the shortest delay is 0.975 ms"),
                                               testing::HasSubstr("at least this step, 1 ms")));
    }
  }
}

TEST(OwnSteps, SayWhenAVariableIsNoNumber) {
  models::Network network = run_of(0.1, 640);
  network.cells[0].kind = models::ArtificialCell{{"izhikevich", {{"c", -1e4}}, {}}};
  const std::uint32_t p = add_population(network, izhikevich, 2, 0.8);
  spark_at(network, p, {{}, {8.0}});
  const auto failure = [&] {
    try {
      simulate(network);
    } catch (const NumericalFailure& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(failure(), testing::HasSubstr("is not a finite number at 51.2 ms in p0[1]"));
  network.run.steps = 333;  // in the middle of a step
  EXPECT_THAT(failure(), testing::HasSubstr("is not a finite number at 33.3 ms in p0[1]"));
}

}  // namespace
}  // namespace hillock::simulator
