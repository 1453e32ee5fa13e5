// The engine on models made in code: analytic solutions, delivery, determinism, failures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors/errors.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

TEST(PassiveSoma, DecaysAsTheBackwardEulerStepSays) {
  auto network = passive_network(3);
  network.run.v_init_mV = -75;
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  const auto sink = simulate(network);
  // tau = cm/g = 1 ms: each step divides the distance to rest by 1 + dt/tau. Round-off only.
  ASSERT_EQ(sink.reports[0].size(), 400u * 3);
  for (std::size_t step = 0; step < 400; ++step)
    EXPECT_NEAR(sink.reports[0][3 * step + 1],
                -65 - 10 * std::pow(1.025, -static_cast<double>(step)), 1e-11);
}

TEST(PassiveSoma, CrankNicolsonStepIsTheTrapezoidalRule) {
  auto network = passive_network(1);
  network.run.v_init_mV = -75;
  network.run.integrator = models::Integrator::crank_nicolson;
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 1));
  const auto sink = simulate(network);
  const double factor = (1 - 0.0125) / (1 + 0.0125);
  // Round-off at an end node, which extrapolation does not damp: 8·eps·(1 + kappa)·75 mV a step,
  // kappa = 31 the ratio of its coupling to C/dt.
  for (std::size_t step = 0; step < 400; ++step)
    EXPECT_NEAR(sink.reports[0][step], -65 - 10 * std::pow(factor, static_cast<double>(step)),
                2e-9);
}

TEST(PassiveCable, SteadyStateIsTheSealedCablesHyperbolicCosine) {
  auto network = passive_network(1);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology = models::Morphology{{cylinder("dend", -1, 1000, 2, 201)}};
  network.run.steps = 4000;
  network.run.duration_ms = 100;
  models::CurrentClamp clamp;
  clamp.amplitude = 0.1;
  clamp.duration_ms = 1000.0;
  clamp.at = at("dend", 0);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  Locations everywhere;
  everywhere.kind = Locations::Kind::all;
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, everywhere);
  const auto sink = simulate(network);
  const std::size_t columns = 201;
  const double* last = &sink.reports[0][sink.reports[0].size() - columns];
  // lambda = sqrt(d/(4 g Ra)), input resistance coth(L/lambda)·lambda·Ra/(pi d²/4); units cm, ohm.
  const double lambda = std::sqrt(2e-4 / (4 * 1e-3 * 100));
  const double r_inf = lambda * 100 / (std::numbers::pi * 1e-4 * 1e-4);
  const double length = 0.1;
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{50}, std::size_t{100}, std::size_t{200}}) {
    const double x = length * (static_cast<double>(i) + 0.5) / 201;
    const double exact =
        0.1e-9 * r_inf * std::cosh((length - x) / lambda) / std::sinh(length / lambda) * 1e3;
    // Discretisation: (dx/lambda)²/24 = 2e-5 of the local value, at the far end a few of it.
    EXPECT_NEAR(last[i] + 65, exact, 2e-4 * exact) << i;
  }
}

TEST(MembraneCurrent, SumsToTheElectrodesCurrentOverTheCell) {
  auto network = passive_network(2);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 300, 2, 9)}};
  models::CurrentClamp clamp;
  clamp.amplitude = 0.3;
  clamp.start_ms = 1.0;
  clamp.duration_ms = 5.0;
  clamp.at = at("soma", 0.5);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  Locations everywhere;
  everywhere.kind = Locations::Kind::all;
  record(network, {models::RecordedVariable::Kind::membrane_current, "", "", "nA"}, everywhere);
  const auto sink = simulate(network);
  for (std::size_t step = 1; step < 400; ++step) {
    double sum = 0;
    for (std::size_t c = 0; c < 10; ++c) sum += sink.reports[0][step * 20 + c];
    const double middle = (static_cast<double>(step) - 0.5) * 0.025;
    EXPECT_NEAR(sum, middle > 1 && middle < 6 ? 0.3 : 0, 1e-12) << step;
  }
}

/// Of a single compartment the current through the membrane is the electrode's: that of the step's
/// middle, whichever way a clamp gives it.
TEST(Clamps, InjectTheCurrentOfTheStepsMiddle) {
  models::CurrentClamp ramp, pulse;
  ramp.kind = models::CurrentClamp::Kind::ramp;
  ramp.amplitude = -0.1;
  ramp.final_amplitude = 0.3;
  ramp.duration_ms = 8.0;
  pulse.amplitude = 0.2;
  pulse.start_ms = 1.01;  // between the step's beginning and its middle
  pulse.duration_ms = 2.005;
  ramp.at = pulse.at = at("soma", 0.5);
  const auto expected_nA = [](double t) {
    return (t < 8 ? -0.1 + 0.05 * t : 0) + (t >= 1.01 && t < 3.015 ? 0.2 : 0);
  };
  for (const auto integrator :
       {models::Integrator::backward_euler, models::Integrator::crank_nicolson}) {
    auto network = passive_network(1);
    network.run.integrator = integrator;
    network.stimuli.push_back({"", whole(network), ramp, {}});
    network.stimuli.push_back({"", whole(network), pulse, {}});
    record(network, {models::RecordedVariable::Kind::membrane_current, "", "", "nA"},
           at("soma", 0.5));
    const auto current_nA = simulate(network).reports[0];
    for (std::size_t step = 1; step < 400; ++step)
      EXPECT_NEAR(current_nA[step], expected_nA((static_cast<double>(step) - 0.5) * 0.025), 1e-12)
          << step;
  }
}

/// Excitable somata; cell i is kicked with its own current; a chain of synapses.
models::Network spiking_network(std::uint64_t size) {
  auto network = passive_network(size);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.regions[0].mechanisms = {{"hh", {}, {}}};
  cell.detector = models::Detector{at("soma", 0.5), 0, {}};
  network.run.steps = 2000;
  network.run.duration_ms = 50;
  models::CurrentClamp clamp;
  clamp.amplitude = models::Value(std::get<Expression>(Expression::parse(
                                      "0.4 nA + 0.05 nA * index", units::nA, {Variable::index})),
                                  Place{});
  clamp.duration_ms = 1000.0;
  clamp.at = at("soma", 0.5);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  models::Projection p;
  p.from = p.to = whole(network);
  p.connect.kind = models::ConnectionRule::Kind::pairwise_bernoulli;
  p.connect.probability = 0.5;
  p.link = models::Synapse{{"expsyn", {{"tau", 2.0}, {"e", 0.0}}, {}}, at("soma", 0.5)};
  p.weight = models::Value(models::Distribution{models::Distribution::Kind::uniform, 0.001, 0.004},
                           Place{});
  p.delay.base_ms =
      models::Value(models::Distribution{models::Distribution::Kind::uniform, 1.0, 3.0}, Place{});
  network.projections.push_back(p);
  return network;
}

TEST(Determinism, SpikesDoNotDependOnThreadsEpochsOrLanes) {
  const auto network = spiking_network(21);
  const auto reference = simulate(network).all_spikes;
  ASSERT_GT(reference.size(), 50u);
  // Threads change the lanes a group has, too.
  for (const int threads : {1, 2, 5, 30})
    for (const std::int64_t epoch : {1, 7, 400}) {
      SimulationOptions options;
      options.threads = threads;
      options.most_epoch_steps = epoch;
      EXPECT_EQ(simulate(network, options).all_spikes, reference) << threads << ' ' << epoch;
    }
}

TEST(Determinism, ACellDoesNotFeelItsNeighbours) {
  auto network = spiking_network(9);
  network.projections.clear();
  const auto together = simulate(network).all_spikes;
  network.populations[0].size = 1;
  network.stimuli[0].to = whole(network);
  std::vector<network::CellSpike> first;
  for (const auto& spike : together)
    if (spike.cell == CellId(0)) first.push_back(spike);
  EXPECT_EQ(simulate(network).all_spikes, first);
}

TEST(Delivery, AnEventActsAtTheNearestStep) {
  auto network = passive_network(1);
  models::EventSource source;
  source.source = models::SpikeTimes{{1.0124, 2.0125}, {}};
  source.synapse = {{"expsyn", {{"tau", 2.0}, {"e", 0.0}}, {}}, at("soma", 0.5)};
  source.weight = 0.001;
  network.stimuli.push_back({"", whole(network), source, {}});
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "expsyn", "g", "uS"},
         at("soma", 0.5));
  const auto g = simulate(network).reports[0];
  const double decay = std::exp(-0.025 / 2);
  EXPECT_EQ(g[40], 0);  // the sample at 1.000 comes before the event that acts from there
  EXPECT_NEAR(g[41], 0.001 * decay, 1e-15);
  EXPECT_NEAR(g[81], 0.001 * std::pow(decay, 41), 1e-15);
  EXPECT_NEAR(g[82], 0.001 * (std::pow(decay, 42) + decay), 1e-15);
}

/// Two trains on equal synapses at one place, which the engine may keep as one; `tau` of the
/// second.
models::Network two_synapses(double tau) {
  auto network = passive_network(1);
  models::EventSource source;
  source.source = models::SpikeTimes{{1, 3}, {}};
  source.synapse = {{"expsyn", {{"tau", 2.0}, {"e", 0.0}}, {}}, at("soma", 0.5)};
  source.weight = 0.001;
  network.stimuli.push_back({"", whole(network), source, {}});
  source.source = models::SpikeTimes{{2}, {}};
  source.synapse.mechanism.parameters["tau"] = tau;
  source.weight = 0.002;
  network.stimuli.push_back({"", whole(network), source, {}});
  return network;
}

TEST(MergedSynapses, ActAndAreRecordedAsTheirSum) {
  const models::RecordedVariable g{models::RecordedVariable::Kind::mechanism_variable, "expsyn",
                                   "g", "uS"};
  // A tau that differs in the last bit keeps the two apart: the reference.
  auto apart = two_synapses(std::nextafter(2.0, 3.0));
  auto merged = two_synapses(2.0);
  for (auto* network : {&apart, &merged}) {
    record(*network, g, at("soma", 0.5));
    record(*network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  }
  EXPECT_EQ(Simulation(merged, {}).counts().synapses, 2u);
  const auto expected = simulate(apart).reports, got = simulate(merged).reports;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t i = 0; i < expected[r].size(); ++i)  // round-off: 400 steps of a few eps
      EXPECT_NEAR(got[r][i], expected[r][i], 1e-12) << r << ' ' << i;
  EXPECT_GT(*std::max_element(got[0].begin(), got[0].end()), 0.002);
}

TEST(MergedSynapses, StillAreTwoToWhoAsksForTheirParameters) {
  auto network = two_synapses(2.0);
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "expsyn", "tau", "ms"},
         at("soma", 0.5));
  try {
    simulate(network);
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("2 instances of expsyn"));
  }
}

TEST(Delivery, ACellThatStartsAboveThresholdSpikesAtZero) {
  auto network = spiking_network(1);
  network.run.v_init_mV = 10;
  const auto spikes = simulate(network).all_spikes;
  ASSERT_FALSE(spikes.empty());
  EXPECT_EQ(spikes[0].time_ms, 0);
}

TEST(SpikeTimes, GridIsTheEndOfTheStepThatInterpolationFallsIn) {
  auto network = spiking_network(1);
  network.projections.clear();
  const auto interpolated = simulate(network).all_spikes;
  network.run.spike_time = models::SpikeTime::grid;
  const auto grid = simulate(network).all_spikes;
  ASSERT_EQ(grid.size(), interpolated.size());
  ASSERT_GT(grid.size(), 1u);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    EXPECT_GT(interpolated[i].time_ms, grid[i].time_ms - 0.025);
    EXPECT_LE(interpolated[i].time_ms, grid[i].time_ms);
  }
}

/// Where the straight line between two samples meets the threshold.
TEST(SpikeTimes, AreInterpolatedBetweenTheVoltagesOfAStep) {
  auto network = spiking_network(3);
  network.projections.clear();
  std::get<models::CableCell>(network.cells[0].kind).detector->threshold_mV = -17;
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  const auto sink = simulate(network);
  std::vector<double> expected_ms, found_ms;
  const auto& v = sink.reports[0];
  for (std::size_t i = 3; i < v.size(); ++i)
    if (v[i - 3] <= -17 && v[i] > -17)
      expected_ms.push_back(
          0.025 * (static_cast<double>(i / 3 - 1) + (-17 - v[i - 3]) / (v[i] - v[i - 3])));
  for (const auto& spike : sink.all_spikes) found_ms.push_back(spike.time_ms);
  std::ranges::sort(expected_ms);
  ASSERT_GT(expected_ms.size(), 6u);
  EXPECT_THAT(found_ms, testing::Pointwise(testing::DoubleNear(1e-12), expected_ms));
}

TEST(Failure, ANumberThatIsNotFiniteNamesTimeCellAndCompartment) {
  auto network = passive_network(11);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 300, 2, 9)}};
  models::CurrentClamp clamp;
  clamp.amplitude = 1e308;
  clamp.start_ms = 2.0;
  clamp.duration_ms = 5.0;
  clamp.at = at("dend", 0.5);
  network.stimuli.push_back({"", {PopulationId(0), 9, 10, {}}, clamp, {}});
  network.stimuli.push_back({"", {PopulationId(0), 9, 10, {}}, clamp, {}});
  try {
    simulate(network);
    FAIL() << "ran on";
  } catch (const NumericalFailure& failure) {
    EXPECT_DOUBLE_EQ(failure.where().time_ms, 2.025);
    EXPECT_EQ(failure.where().population, "p");
    EXPECT_EQ(failure.where().cell, 9u);
    EXPECT_EQ(failure.where().compartment, "dend(0.5)");
  }
}

TEST(Recording, ShortEpochsForBigReportsGiveTheSameRows) {
  auto network = spiking_network(5);
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "hh", "m", "1"},
         at("soma", 0.5));
  SimulationOptions small;
  small.most_sample_bytes = 1000;
  EXPECT_LE(Simulation(network, small).counts().epoch_steps, 1000 / (5 * 8));
  EXPECT_EQ(simulate(network, small).reports[0], simulate(network).reports[0]);
}

TEST(Recording, SamplesLieBetweenStartAndStop) {
  auto network = passive_network(1);
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  auto& recording = network.recordings[0];
  recording.start_ms = 1;
  recording.every_ms = 0.3;
  recording.stop_ms = 2;
  const Simulation simulation(network, {});
  EXPECT_EQ(simulation.reports()[0].samples, 4u);  // 1.0 1.3 1.6 1.9
  EXPECT_EQ(simulate(network).reports[0].size(), 4u);
}

}  // namespace
}  // namespace hillock::simulator
