// Gap junctions: the closed form of a coupled pair, sums that cancel, what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/errors/errors.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

using models::RecordedVariable;

/// The first cells of p are joined to the others, one to one, at their somata.
models::Projection junctions(const models::Network& network, double g_uS) {
  const std::uint64_t half = network.populations[0].size / 2;
  models::Projection p;
  p.from = {PopulationId(0), 0, half, {}};
  p.to = {PopulationId(0), half, 2 * half, {}};
  p.connect.kind = models::ConnectionRule::Kind::one_to_one;
  models::GapJunction junction;
  junction.g_uS = g_uS;
  junction.at = junction.peer_at = at("soma", 0.5);
  p.link = junction;
  return p;
}

/// Cells of 20 x 20 um without a leak: one half begins at -75 mV, the other at -55 mV.
models::Network halves(std::uint64_t size, double g_uS, double leak = 0) {
  auto network = passive_network(size);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.regions[0] = passive(leak, -65);
  cell.regions[0].v_init_mV = models::Value(
      std::get<Expression>(Expression::parse("-75 mV + 20 mV * (index * 2 >= size)", units::mV,
                                             {Variable::index, Variable::size})),
      Place{});
  network.projections = {junctions(network, g_uS)};
  record(network, {RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  return network;
}

/// cm of the cell, nF.
const double capacitance_nF = std::numbers::pi * 20 * 20 * 1e-5;

/// How far the voltages of a pair are from the closed form when a run ends.
double error_of_pair(double dt_ms, models::Integrator integrator, double leak) {
  constexpr double g_uS = 2e-3;
  auto network = halves(2, g_uS, leak);
  network.run.integrator = integrator;
  network.run.dt_ms = dt_ms;
  network.run.steps = std::lround(4 / dt_ms);
  network.run.duration_ms = 4;
  network.recordings[0].every_ms = dt_ms;
  network.recordings[0].stop_ms = 4;
  const auto rows = simulate(network).reports[0];
  // The difference of the two decays with (leak + 2 g)/C, their sum does not change.
  const double leak_uS = leak * std::numbers::pi * 20 * 20 * 1e-2;
  const double t_ms = 4 - dt_ms;
  const double distance = 20 * std::exp(-(leak_uS + 2 * g_uS) / capacitance_nF * t_ms);
  const std::size_t last = rows.size() - 2;
  EXPECT_NEAR(rows[last] + rows[last + 1], -130, 1e-9);  // round-off
  return std::abs(rows[last + 1] - rows[last] - distance);
}

/// By how much halving dt divides the error.
double gain(models::Integrator integrator, double leak) {
  return error_of_pair(0.1, integrator, leak) / error_of_pair(0.05, integrator, leak);
}

TEST(GapJunction, OfAPairConvergesToTheClosedForm) {
  using enum models::Integrator;
  // Discretisation (docs/cable.md): the pair alone is of second order under backward_euler, all
  // else of first.
  EXPECT_NEAR(gain(backward_euler, 0), 4, 0.1);
  EXPECT_NEAR(gain(crank_nicolson, 0), 2, 0.15);
  EXPECT_NEAR(gain(backward_euler, 1e-4), 2, 0.15);
  EXPECT_NEAR(gain(crank_nicolson, 1e-4), 2, 0.15);
  EXPECT_LT(error_of_pair(0.025, backward_euler, 0), 4e-5);
  EXPECT_LT(error_of_pair(0.025, crank_nicolson, 0), 0.015);
}

TEST(GapJunction, StepIsImplicitInItsOwnVoltageAlone) {
  constexpr double g_uS = 5e-3;
  const auto rows = simulate(halves(2, g_uS)).reports[0];
  const double k = g_uS * 0.025 / capacitance_nF;
  for (std::size_t step = 0; step + 1 < 400; ++step) {
    const double a = rows[2 * step], b = rows[2 * step + 1];
    EXPECT_NEAR(rows[2 * step + 2], (a + k * b) / (1 + k), 1e-11) << step;  // round-off
    EXPECT_NEAR(rows[2 * step + 3], (b + k * a) / (1 + k), 1e-11) << step;
  }
}

TEST(GapJunction, OnOneSideLeavesTheSourceAlone) {
  auto network = halves(2, 0);
  auto& junction = std::get<models::GapJunction>(network.projections[0].link);
  junction.mechanism = models::MechanismUse{"gap", {{"g", 5e-3}}, {}};
  const auto rows = simulate(network).reports[0];
  EXPECT_EQ(rows[rows.size() - 2], -75);
  const double k = 5e-3 * 0.025 / capacitance_nF;
  EXPECT_NEAR(rows.back(), -75 + 20 * std::pow(1 + k, -399), 1e-9);  // round-off
}

TEST(GapJunction, ReadsAStateOfTheOtherCellAsTheStepBegins) {
  auto network = halves(2, 0);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.regions[0].mechanisms = {{"hh", {}, {}}};
  network.pointer_targets = {{"hh.n", {}}};
  auto& junction = std::get<models::GapJunction>(network.projections[0].link);
  junction.mechanism = models::MechanismUse{"gap", {{"g", 1e-5}}, {}};
  junction.reads = 0;
  record(network, {RecordedVariable::Kind::mechanism_variable, "hh", "n", "1"}, at("soma", 0.5));
  record(network, {RecordedVariable::Kind::mechanism_variable, "gap", "i", "nA"}, at("soma", 0.5));
  network.recordings[1].name = "n";
  network.recordings[2].name = "i";
  network.recordings[2].of = {PopulationId(0), 1, 2, {}};
  for (const int threads : {1, 2}) {
    SimulationOptions options;
    options.threads = threads;
    const auto sink = simulate(network, options);
    const auto &v = sink.reports[0], &n = sink.reports[1], &i = sink.reports[2];
    // A current is recorded with the voltage of the step's end, as every mechanism's is.
    for (std::size_t step = 1; step < i.size(); ++step)
      EXPECT_NEAR(i[step], 1e-5 * (v[2 * step - 1] - n[2 * step - 2]), 1e-15) << step;  // round-off
  }
}

TEST(GapJunction, CurrentsOfItsSidesCancelInEveryStep) {
  auto network = halves(6, 3e-3, 1e-4);
  record(network, {RecordedVariable::Kind::mechanism_variable, "gap", "i", "nA"}, at("soma", 0.5));
  network.recordings[1].name = "i";
  const auto rows = simulate(network).reports[1];
  for (std::size_t i = 0; i < rows.size(); i += 6)
    for (std::size_t pair = 0; pair < 3; ++pair)
      EXPECT_NEAR(rows[i + pair], -rows[i + pair + 3], 1e-15) << i;  // round-off
  EXPECT_NEAR(rows[3], 3e-3 * 20, 1e-15);                            // of t = 0
}

TEST(GapJunction, ResultsDoNotDependOnThreadsOrEpochs) {
  const auto network = halves(42, 3e-3, 1e-4);
  const auto known = simulate(network).reports;
  for (const int threads : {2, 3, 7}) {
    SimulationOptions options;
    options.threads = threads;
    options.most_epoch_steps = threads;
    EXPECT_EQ(simulate(network, options).reports, known) << threads;
  }
}

TEST(GapJunction, MakesEpochsOneStepLongAndIsCounted) {
  const auto network = halves(42, 3e-3);
  EXPECT_EQ(Simulation(network, {}).counts().epoch_steps, 1);
  EXPECT_EQ(Simulation(network, {}).counts().gap_junctions, 21u);
  SimulationOptions expected;
  expected.connections = Connections::expected;
  EXPECT_EQ(Simulation(network, expected).counts().epoch_steps, 1);
  EXPECT_EQ(Simulation(network, expected).counts().gap_junctions, 21u);
}

TEST(GapJunction, OfACellWithItselfCarriesCurrentAlongIt) {
  auto network = halves(2, 0.5);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 300, 2, 9)}};
  models::Projection& loop = network.projections[0];
  loop.to = loop.from;
  loop.connect.autapses = models::Autapses::allowed;
  auto& junction = std::get<models::GapJunction>(loop.link);
  junction.g_uS = 0.01;
  junction.peer_at = at("dend", 0.95);
  models::CurrentClamp clamp;
  clamp.amplitude = 0.1;
  clamp.duration_ms = 1000.0;
  clamp.at = at("soma", 0.5);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  record(network, {RecordedVariable::Kind::voltage, "", "", "mV"}, at("dend", 0.95));
  network.recordings[1].name = "end";
  const auto sink = simulate(network);
  const std::size_t last = sink.reports[0].size() - 2;
  const double joined = sink.reports[0][last] - sink.reports[1][last];
  const double alone = sink.reports[0][last + 1] - sink.reports[1][last + 1];
  EXPECT_GT(joined, 0.1);
  EXPECT_LT(joined, 0.7 * alone);
}

TEST(GapJunction, WithoutMembraneIsRefusedUnderCrankNicolson) {
  auto network = halves(2, 1e-3);
  std::get<models::GapJunction>(network.projections[0].link).at = at("soma", 1);
  EXPECT_NO_THROW(simulate(network));
  network.run.integrator = models::Integrator::crank_nicolson;
  try {
    simulate(network);
    FAIL();
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("where there is no membrane, is not stable"));
  }
}

TEST(GapJunction, WithANegativeConductanceIsRefused) {
  auto network = halves(2, 1e-3);
  std::get<models::GapJunction>(network.projections[0].link).g_uS = models::Value(
      std::get<Expression>(Expression::parse("1 nS * (r - 2)", units::uS, {Variable::r})), Place{});
  EXPECT_THROW(simulate(network), InvalidModel);
}

}  // namespace
}  // namespace hillock::simulator
