// Weights of plastic synapses beside what the rule says of each pair of spikes, written down
// without traces, and beside numbers worked out by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/state/packed_state.hpp"
#include "simulator/plasticity/plastic_synapses.hpp"
#include "tests/simulator/on_ranks.hpp"

namespace hillock::simulator {
namespace {

using models::Stdp;

/// Such an input makes Izhikevich's neuron spike at once, whatever came before.
constexpr double stdp_spark = 3000;
constexpr double stdp_dt_ms = 0.5;

/// What a plastic connection is to go through.
struct Connected {
  std::uint32_t source = 0, target = 0;
  std::int64_t delay = 1;  ///< in steps
  double weight = 0;
};

struct StdpCase {
  std::int64_t steps = 100;
  Stdp stdp;
  std::vector<std::vector<std::int64_t>> sources, targets;  ///< [neuron] in which steps it spikes
  std::vector<Connected> connected;
};

Stdp rule_of(double mu_plus, double mu_minus, Stdp::Pairing pairing, Stdp::DelayKind delay) {
  Stdp stdp;
  stdp.tau_plus_ms = 17;
  stdp.tau_minus_ms = 34;
  stdp.lambda = 0.05;
  stdp.alpha = 0.9;
  stdp.mu_plus = mu_plus;
  stdp.mu_minus = mu_minus;
  stdp.w_max = 0.5;
  stdp.pairing = pairing;
  stdp.delay = delay;
  return stdp;
}

void spark_in(models::Network& network, std::uint32_t population,
              const std::vector<std::vector<std::int64_t>>& steps) {
  models::EventSource events;
  models::SpikeTimes times;
  for (const auto& some : steps) {
    times.per_cell.emplace_back();
    for (const std::int64_t step : some)
      times.per_cell.back().push_back(static_cast<double>(step) * stdp_dt_ms);
  }
  events.source = std::move(times);
  events.weight = stdp_spark;
  network.stimuli.push_back({"", whole(network, population), events, {}});
}

models::Network network_of(const StdpCase& test) {
  models::Network network;
  network.run.dt_ms = stdp_dt_ms;
  network.run.steps = test.steps;
  network.run.duration_ms = static_cast<double>(test.steps) * stdp_dt_ms;
  network.cells.push_back({"i", models::ArtificialCell{{"izhikevich", {}, {}}}, {}});
  network.populations.push_back({"sources", 0, test.sources.size(), {}, {}});
  network.populations.push_back({"targets", 0, test.targets.size(), {}, {}});
  spark_in(network, 0, test.sources);
  spark_in(network, 1, test.targets);
  models::Projection projection;
  projection.from = whole(network, 0);
  projection.to = whole(network, 1);
  projection.connect.kind = models::ConnectionRule::Kind::list;
  projection.stdp = test.stdp;
  models::ConnectionRows& rows = projection.connect.rows;
  for (const Connected& one : test.connected) {
    rows.sources.push_back(one.source);
    rows.targets.push_back(one.target);
    rows.weights.push_back(one.weight);
    rows.delays_ms.push_back(static_cast<double>(one.delay) * stdp_dt_ms);
  }
  rows.listed = rows.size();
  network.projections.push_back(projection);
  models::Recording recording;
  recording.name = "weights";
  recording.of = whole(network, 1);
  recording.variable.emplace().kind = models::RecordedVariable::Kind::weight;
  recording.every_ms = stdp_dt_ms;
  recording.stop_ms = network.run.duration_ms;
  recording.type = models::Recording::Type::float64;
  network.recordings.push_back(recording);
  return network;
}

/// A connection's weight before a step: every spike with the spikes that it makes a pair with.
double weight_before(std::int64_t now, const StdpCase& test, const Connected& connected) {
  const Stdp& rule = test.stdp;
  const bool axonal = rule.delay == Stdp::DelayKind::axonal;
  // When they come to the synapse, in the target's time.
  std::vector<std::int64_t> sources, targets;
  for (const std::int64_t step : test.sources[connected.source])
    if (step + connected.delay < now)
      sources.push_back(axonal ? step + connected.delay : step - connected.delay);
  for (const std::int64_t step : test.targets[connected.target])
    if (step + (axonal ? 0 : 2 * connected.delay) < now) targets.push_back(step);
  const auto trace = [&](const std::vector<std::int64_t>& spikes, std::int64_t at, double tau_ms) {
    double sum = 0;
    for (const std::int64_t spike : spikes) {
      if (spike >= at) continue;
      const double one = std::exp(-static_cast<double>(at - spike) * stdp_dt_ms / tau_ms);
      sum = rule.pairing == Stdp::Pairing::nearest ? one : sum + one;
    }
    return sum;
  };
  struct Event {
    std::int64_t step;
    bool is_second;  ///< of those that meet
    bool is_source;
  };
  std::vector<Event> events;
  for (const std::int64_t step : sources) events.push_back({step, !axonal, true});
  for (const std::int64_t step : targets) events.push_back({step, axonal, false});
  std::ranges::sort(events, {}, [](const Event& e) { return std::pair(e.step, e.is_second); });
  double w = connected.weight / rule.w_max;
  for (const Event& event : events) {
    if (event.is_source)
      w = std::max(0.0, w - rule.alpha * rule.lambda * std::pow(w, rule.mu_minus) *
                                trace(targets, event.step, rule.tau_minus_ms));
    else
      w = std::min(1.0, w + rule.lambda * std::pow(1 - w, rule.mu_plus) *
                                trace(sources, event.step, rule.tau_plus_ms));
  }
  return w * rule.w_max;
}

using Rows = std::vector<std::vector<double>>;  ///< [sample][column]

Rows rows_of(const MemorySink& sink, std::size_t columns) {
  Rows rows;
  const std::vector<double>& all = sink.reports.at(0);
  for (std::size_t at = 0; at < all.size(); at += columns)
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                      all.begin() + static_cast<std::ptrdiff_t>(at + columns));
  return rows;
}

/// Connections in the report's order: by target, source, delay.
std::vector<Connected> by_column(const StdpCase& test) {
  std::vector<Connected> connected = test.connected;
  std::ranges::stable_sort(connected, {}, [](const Connected& one) {
    return std::tuple(one.target, one.source, one.delay);
  });
  return connected;
}

/// Every weight at every step, within the round-off of a few hundred changes. The trains are those
/// that the neurons fired: a neuron that is driven very often misses a spike.
void expect_weights(StdpCase test, const std::string& words) {
  const models::Network network = network_of(test);
  const MemorySink sink = simulate(network, {});
  for (auto* trains : {&test.sources, &test.targets})
    for (auto& train : *trains) train.clear();
  for (const network::CellSpike& spike : sink.all_spikes) {
    const auto [population, cell] = network.population_of(spike.cell);
    (population.value == 0 ? test.sources : test.targets)[cell].push_back(
        std::llround(spike.time_ms / stdp_dt_ms));
  }
  for (const auto* trains : {&test.sources, &test.targets})
    for (const auto& train : *trains) ASSERT_GT(train.size(), 1u) << words;
  const Rows rows = rows_of(sink, test.connected.size());
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(test.steps));
  // A sample lets all weights feel what they have not felt yet; without it they come to the same.
  models::Network rarely = network;
  rarely.recordings.front().start_ms = static_cast<double>(test.steps - 1) * stdp_dt_ms;
  EXPECT_EQ(rows_of(simulate(rarely, {}), test.connected.size()), Rows{rows.back()}) << words;
  const std::vector<Connected> connected = by_column(test);
  for (std::int64_t step = 0; step < test.steps; ++step)
    for (std::size_t c = 0; c < connected.size(); ++c)
      ASSERT_NEAR(rows[static_cast<std::size_t>(step)][c], weight_before(step, test, connected[c]),
                  1e-13)
          << words << " step " << step << " column " << c;
}

std::vector<std::pair<std::string, Stdp>> all_rules() {
  std::vector<std::pair<std::string, Stdp>> rules;
  for (const auto& [mu_plus, mu_minus] : {std::pair(0.0, 0.0), {1.0, 1.0}, {0.0, 1.0}, {0.4, 0.7}})
    for (const auto pairing : {Stdp::Pairing::all_to_all, Stdp::Pairing::nearest})
      for (const auto delay : {Stdp::DelayKind::dendritic, Stdp::DelayKind::axonal})
        rules.emplace_back(std::to_string(mu_plus) +
                               (pairing == Stdp::Pairing::nearest ? " nearest" : " all") +
                               (delay == Stdp::DelayKind::axonal ? " axonal" : " dendritic"),
                           rule_of(mu_plus, mu_minus, pairing, delay));
  return rules;
}

TEST(Stdp, OnePairChangesAWeightByTheWindowOfItsTimes) {
  for (const auto& [words, stdp] : all_rules()) {
    const bool axonal = stdp.delay == Stdp::DelayKind::axonal;
    for (const std::int64_t later : {-9, -1, 0, 1, 9}) {  // the target's than the source's
      StdpCase test{100, stdp, {{30}}, {{30 + later}}, {{0, 0, 3, 0.2}}};
      const Rows rows = rows_of(simulate(network_of(test), {}), 1);
      const std::int64_t steps = axonal ? later - 3 : later + 3;  // at the synapse
      const double ms = static_cast<double>(std::abs(steps)) * stdp_dt_ms;
      double expected = 0.2;
      if (steps > 0)
        expected += 0.05 * 0.5 * std::pow(1 - 0.4, stdp.mu_plus) * std::exp(-ms / 17);
      else if (steps < 0)
        expected -= 0.9 * 0.05 * 0.5 * std::pow(0.4, stdp.mu_minus) * std::exp(-ms / 34);
      EXPECT_NEAR(rows.back()[0], expected, 1e-15) << words << " " << later;
      EXPECT_EQ(rows[28][0], 0.2);
    }
  }
}

TEST(Stdp, WeightsAreThoseOfAllPairsAtEveryStep) {
  std::mt19937 random(5);
  for (const auto& [words, stdp] : all_rules()) {
    StdpCase test{240, stdp, {}, {}, {}};
    const auto train = [&](double p) {
      std::vector<std::int64_t> steps;
      for (std::int64_t step = 1; step < test.steps; ++step)
        if (std::uniform_real_distribution(0.0, 1.0)(random) < p) steps.push_back(step);
      return steps;
    };
    for (const double p : {0.05, 0.1, 0.5}) test.sources.push_back(train(p));
    for (const double p : {0.05, 0.1, 0.6, 0.2}) test.targets.push_back(train(p));
    for (std::uint32_t s = 0; s < test.sources.size(); ++s)
      for (std::uint32_t t = 0; t < test.targets.size(); ++t)
        for (const std::int64_t delay : {1, 2, 40})
          test.connected.push_back({s, t, delay, std::uniform_real_distribution(0.0, 0.5)(random)});
    expect_weights(test, words);
  }
}

TEST(Stdp, NegativeWeightsStayBetweenWMaxAndZero) {
  Stdp stdp = rule_of(0, 0, Stdp::Pairing::all_to_all, Stdp::DelayKind::dendritic);
  StdpCase test{
      200, stdp, {{10, 20, 30, 110, 120, 130}}, {{12, 22, 32, 108, 118, 128}}, {{0, 0, 1, 0.3}}};
  const Rows positive = rows_of(simulate(network_of(test), {}), 1);
  test.stdp.w_max = -test.stdp.w_max;
  test.connected[0].weight *= -1;
  const Rows negative = rows_of(simulate(network_of(test), {}), 1);
  for (std::size_t step = 0; step < positive.size(); ++step)
    EXPECT_EQ(negative[step][0], -positive[step][0]);
}

/// Weights that make their targets spike: the weight that a spike finds is the one that arrives.
models::Network driven_network(const Stdp& stdp) {
  StdpCase test{300, stdp, {}, {}, {}};
  std::mt19937 random(11);
  test.sources.resize(40);
  for (auto& steps : test.sources)
    for (std::int64_t step = 1; step < test.steps; ++step)
      if (random() % 20 == 0) steps.push_back(step);
  test.targets.resize(23);
  test.stdp.w_max = 40;
  test.stdp.lambda = 0.1;
  for (std::uint32_t s = 0; s < test.sources.size(); ++s)
    for (std::uint32_t t = 0; t < test.targets.size(); ++t)
      if (random() % 3 > 0)
        test.connected.push_back({s, t, 1 + static_cast<std::int64_t>(random() % 30),
                                  static_cast<double>(random() % 41)});
  models::Network network = network_of(test);
  network.recordings.front().every_ms = 10 * stdp_dt_ms;
  return network;
}

TEST(Stdp, ARunDependsOnNeitherThreadsNorRanksNorEpochsNorResumptions) {
  for (const auto& [words, stdp] : all_rules()) {
    if (stdp.mu_plus != 0.4) continue;  // powers change nothing but numbers
    const models::Network network = driven_network(stdp);
    const MadeOnRanks whole = simulate_on(network, {1, ExchangeKind::all, Overlap::no, 100});
    ASSERT_GT(whole.sink.all_spikes.size(), 500u);
    for (const int threads : {2, 3})
      for (const std::int64_t epoch : {400, 1}) {
        SimulationOptions options;
        options.threads = threads;
        options.most_epoch_steps = epoch;
        const MemorySink sink = simulate(network, options);
        EXPECT_EQ(sink.all_spikes, whole.sink.all_spikes) << words;
        EXPECT_EQ(sink.reports, whole.sink.reports) << words;
      }
    for (const int ranks : {2, 4})
      for (const Overlap overlap : {Overlap::no, Overlap::yes}) {
        const MadeOnRanks made = simulate_on(network, {ranks, ExchangeKind::all, overlap, 100});
        EXPECT_EQ(by_population(network, made), by_population(network, whole)) << words << ranks;
        EXPECT_EQ(made.sink.reports, whole.sink.reports) << words << ranks;
        for (const auto& [step, state] : whole.saved)
          EXPECT_EQ(pack(made.saved.at(step)), pack(state)) << words << ranks;
      }
    for (const auto& [step, state] : whole.saved)
      for (const int ranks : {1, 3}) {
        const MadeOnRanks rest =
            simulate_on(network, {ranks, ExchangeKind::all, Overlap::no, 100, &state});
        const std::vector<double>&all = whole.sink.reports[0], &late = rest.sink.reports[0];
        ASSERT_LE(late.size(), all.size());
        EXPECT_TRUE(std::equal(late.rbegin(), late.rend(), all.rbegin())) << words << step;
        for (const auto& [later, saved] : rest.saved)
          EXPECT_EQ(pack(saved), pack(whole.saved.at(later))) << words;
      }
  }
}

/// Spikes that no source's has met yet are saved, and those that all have met are not.
TEST(Stdp, ARunGoesOnWhileItsFirstSpikesAreOnTheirWay) {
  for (const auto delay : {Stdp::DelayKind::dendritic, Stdp::DelayKind::axonal}) {
    StdpCase test{
        90, rule_of(0, 1, Stdp::Pairing::all_to_all, delay), {{3, 30}}, {{8, 12, 50}}, {}};
    test.connected = {{0, 0, 10, 0.2}, {0, 0, 4, 0.3}};
    const models::Network network = network_of(test);
    const MadeOnRanks whole = simulate_on(network, {1, ExchangeKind::all, Overlap::no, 10});
    ASSERT_EQ(whole.saved.size(), 8u);
    const std::vector<double>& all = whole.sink.reports[0];
    EXPECT_NE(all.front(), all[all.size() - 2]);
    for (const auto& [step, state] : whole.saved) {
      const MadeOnRanks rest =
          simulate_on(network, {1, ExchangeKind::all, Overlap::no, 10, &state});
      const std::vector<double>& late = rest.sink.reports[0];
      ASSERT_LE(late.size(), all.size());
      EXPECT_TRUE(std::equal(late.rbegin(), late.rend(), all.rbegin())) << step;
      for (const auto& [later, saved] : rest.saved)
        EXPECT_EQ(pack(saved), pack(whole.saved.at(later))) << step;
    }
  }
}

/// What a trace decays by is looked up for as many steps as it takes to become nothing, or 4096.
TEST(Stdp, DecaysAreKnownForAsLongAsTheyCount) {
  Stdp stdp;
  stdp.tau_plus_ms = 10;
  stdp.tau_minus_ms = 20;
  for (const auto& [dt_ms, known] : {std::pair{1.0, 2761}, {2.0, 1381}, {0.1, 4096}}) {
    const StdpTables tables(stdp, dt_ms);
    EXPECT_EQ(tables.rule().known_steps, known);
    EXPECT_GE(tables.bytes(), 2u * static_cast<std::size_t>(known) * sizeof(double));
    EXPECT_LE(tables.bytes(), 2u * 5000 * sizeof(double));
    for (const long long steps : {0, 1, 50, known - 1, known, known + 5}) {
      const double ms = static_cast<double>(steps) * dt_ms;
      EXPECT_NEAR(tables.rule().plus(steps), std::exp(-ms / 10), 1e-14) << steps;
      EXPECT_NEAR(tables.rule().minus(steps), std::exp(-ms / 20), 1e-14) << steps;
    }
  }
}

TEST(Stdp, AWeightThatBeginsOutsideItsBoundsIsRefused) {
  StdpCase test{
      10, rule_of(0, 0, Stdp::Pairing::nearest, Stdp::DelayKind::axonal), {{1}}, {{2}}, {}};
  for (const std::vector<Connected>& connected :
       {std::vector<Connected>{{0, 0, 1, 0.2}, {0, 0, 1, 0.6}},
        {{0, 0, 1, 0.6}, {0, 0, 1, 0.2}},
        {{0, 0, 1, 0.6}},
        {{0, 0, 1, -0.1}}}) {
    test.connected = connected;
    EXPECT_THROW(simulate(network_of(test), {}), InvalidModel);
  }
}

TEST(Stdp, NeuronsWithAStepOfTheirOwnAreRefused) {
  StdpCase test{
      10, rule_of(0, 0, Stdp::Pairing::nearest, Stdp::DelayKind::axonal), {{1}}, {{2}}, {}};
  test.connected = {{0, 0, 4, 0.2}};
  for (const std::size_t population : {0, 1})
    for (const std::int64_t steps : {1, 2}) {
      models::Network network = network_of(test);
      network.projections[0].place = {"model.yaml", 7, 3};
      models::Population& with_step = network.populations[population];
      with_step.step = models::PointStep{static_cast<double>(steps) * stdp_dt_ms, steps};
      std::string refusal;
      try {
        simulate(network);
      } catch (const InvalidModel& error) {
        refusal = error.what();
      }
      EXPECT_EQ(refusal, steps == 1 ? ""
                                    : "model.yaml:7:3: error: " + with_step.name +
                                          " has a step of its own: plasticity needs the run's");
    }
}

TEST(Stdp, RecordedWeightsAreCountedWithoutMakingThem) {
  models::Network network = driven_network(all_rules().front().second);
  network.recordings.push_back(network.recordings.front());
  models::Projection drawn = network.projections.front();
  drawn.connect = {};
  drawn.connect.kind = models::ConnectionRule::Kind::fixed_indegree;
  drawn.connect.number = 7;
  drawn.weight = 1.0;
  drawn.delay.base_ms = 1.0;
  network.projections.push_back(drawn);
  network.recordings.back().variable->projection = 1;
  SimulationOptions counting;
  counting.connections = Connections::expected;
  const Simulation made(network, {}), expected(network, counting);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(expected.reports()[r].element_ids.size(), made.reports()[r].element_ids.size());
    EXPECT_EQ(expected.reports()[r].element_pos.size(), made.reports()[r].element_pos.size());
  }
  EXPECT_EQ(made.reports()[1].element_ids.size(), 7 * 23u);
  EXPECT_EQ(expected.counts().sample_bytes, made.counts().sample_bytes);
}

}  // namespace
}  // namespace hillock::simulator
