// Ions: concentrations that pools set, reversal potentials that follow, currents that add up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/errors/errors.hpp"
#include "core/random/random.hpp"
#include "simulator/backends/cpu/cells/reversals.hpp"
#include "simulator/step/nernst.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

using models::IonSetting;
using models::RecordedVariable;

models::RecordedVariable ion(const std::string& name) {
  return {RecordedVariable::Kind::ion_variable, "", name, "mM"};
}

models::RegionSettings& settings_of(models::Network& network) {
  return std::get<models::CableCell>(network.cells[0].kind).regions[0];
}

/// Somata with calcium currents and, where wanted, a pool.
models::Network calcium_network(std::uint64_t size, bool with_pool) {
  auto network = passive_network(size);
  network.run.temperature_degC = 30;
  network.run.v_init_mV = -30;
  settings_of(network).mechanisms = {{"pas", {{"g", 1e-4}, {"e", -30.0}}, {}},
                                     {"cal", {{"gbar", 1e-4}}, {}},
                                     {"cat", {{"gbar", 2e-4}}, {}}};
  if (with_pool) settings_of(network).mechanisms.push_back({"capool", {{"decay", 20.0}}, {}});
  return network;
}

void set_calcium(models::Network& network, IonSetting setting) {
  setting.ion = "ca";
  settings_of(network).ions = {setting};
}

double nernst_mV(double inside, double outside, double valence, double celsius) {
  return 1000 * 8.31446261815324 * (celsius + 273.15) / (valence * 96485.3321233100) *
         std::log(outside / inside);
}

std::vector<double> recorded(models::Network network, const models::RecordedVariable& variable) {
  network.recordings.clear();
  record(network, variable, at("soma", 0.5));
  return simulate(network).reports[0];
}

TEST(Ions, AReversalPotentialHasAnEndWhereASideHasNone) {
  EXPECT_EQ(step::nernst_mV(13.0, 0.0, 2.0), 1e6);
  EXPECT_EQ(step::nernst_mV(13.0, -1e-9, 2.0), 1e6);
  EXPECT_EQ(step::nernst_mV(13.0, 1e-4, 0.0), -1e6);
  EXPECT_NEAR(step::nernst_mV(13.0, 1e-4, 2.0), 13 * std::log(2e4), 1e-12);
}

TEST(Ions, ReversalPotentialsAreTheSameBitsInEveryInstructionSet) {
  RandomStream draw(3, Purpose::stimulus, {});
  std::vector<double> factor, inside, outside, expected;
  for (int i = 0; i < 203; ++i) {
    factor.push_back(12 + draw.uniform());
    inside.push_back(i % 17 == 3 ? 0 : i % 19 == 4 ? -1e-9 : std::exp(10 * draw.normal()));
    outside.push_back(i % 23 == 5 ? 0 : std::exp(10 * draw.normal()));
    expected.push_back(step::nernst_mV(factor.back(), inside.back(), outside.back()));
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    std::vector<double> reversal(factor.size());
    cpu::set_reversals(
        {factor.data(), inside.data(), outside.data(), reversal.data(), reversal.size()}, isa);
    EXPECT_EQ(reversal, expected) << name_of(isa);
  }
}

TEST(Ions, OfAModelThatFollowsThemConcentrationsArePositive) {
  auto network = calcium_network(1, false);
  IonSetting none;
  none.inside_mM = models::Value(0.0);
  none.reversal = IonSetting::Reversal::nernst;
  set_calcium(network, none);
  EXPECT_THROW(simulate(network), InvalidModel);
}

TEST(Ions, TheCurrentIsTheSumOverMechanismsWhetherOrNotAPoolGathersIt) {
  for (const bool with_pool : {false, true}) {
    const auto network = calcium_network(1, with_pool);
    const auto total = recorded(network, ion("ica"));
    const auto one =
        recorded(network, {RecordedVariable::Kind::mechanism_variable, "cal", "ica", ""});
    const auto two =
        recorded(network, {RecordedVariable::Kind::mechanism_variable, "cat", "ica", ""});
    ASSERT_EQ(total.size(), 400u);
    for (std::size_t i = 0; i < total.size(); ++i) {
      EXPECT_LT(total[i], -1e-6) << i;
      EXPECT_NEAR(total[i], one[i] + two[i], 1e-15) << i;
    }
  }
}

TEST(Ions, APoolIsFilledByTheCurrentAndEmptiesWithItsTimeConstant) {
  const auto network = calcium_network(1, true);
  const auto cai = recorded(network, ion("cai"));
  const auto ica = recorded(network, ion("ica"));
  EXPECT_EQ(cai[0], 1e-4);  // the pool's own INITIAL, not the ion's default
  // cai' = a - (cai - rest)/tau over one step of constant current, exactly.
  const double tau = 20, rest = 1e-4, dt = 0.025;
  for (std::size_t i = 1; i < cai.size(); ++i) {
    const double a = -10000 * 0.05 * ica[i] / (2 * 96485.3321233100 * 0.1);
    const double end = rest + a * tau;
    EXPECT_NEAR(cai[i], end + (cai[i - 1] - end) * std::exp(-dt / tau), 1e-16) << i;
  }
  EXPECT_GT(cai.back(), 1.5e-4);
}

TEST(Ions, TheReversalPotentialFollowsThePoolOneStepBehind) {
  const auto network = calcium_network(1, true);
  const auto cai = recorded(network, ion("cai"));
  const auto eca = recorded(network, ion("eca"));
  for (std::size_t i = 1; i < cai.size(); ++i)
    EXPECT_NEAR(eca[i], nernst_mV(cai[i - 1], 2, 2, 30), 1e-11) << i;
}

TEST(Ions, AReversalPotentialMayBeMadeWithTheConstantsOfNeuronSeven) {
  auto network = calcium_network(1, true);
  network.run.constants = Constants::legacy;
  const auto cai = recorded(network, ion("cai"));
  const auto eca = recorded(network, ion("eca"));
  for (std::size_t i = 1; i < cai.size(); ++i)
    EXPECT_NEAR(eca[i], 1000 * 8.3134 * 303.15 / (2 * 96485.309) * std::log(2 / cai[i - 1]), 1e-11)
        << i;
}

TEST(Ions, AReversalPotentialThatTheModelGivesStays) {
  auto network = calcium_network(1, true);
  IonSetting fixed;
  fixed.reversal_mV = models::Value(120.0);
  set_calcium(network, fixed);
  EXPECT_THAT(recorded(network, ion("eca")), testing::Each(120.0));
}

TEST(Ions, WithoutConcentrationsAtWorkTheReversalPotentialIsTheDefault) {
  // NEURON's 132.4579 mV, which the temperature does not move until a mechanism reads cai.
  EXPECT_NEAR(recorded(calcium_network(1, false), ion("eca")).back(), 132.4579341637009, 1e-12);
  auto reads = calcium_network(1, false);
  settings_of(reads).mechanisms.push_back({"sk", {{"gbar", 1e-4}}, {}});
  EXPECT_NEAR(recorded(reads, ion("eca")).back(), nernst_mV(5e-5, 2, 2, 30), 1e-10);
}

TEST(Ions, GhkMeansThatNothingMayAskForTheReversalPotential) {
  auto network = calcium_network(1, true);
  IonSetting ghk;
  ghk.reversal = IonSetting::Reversal::ghk;
  set_calcium(network, ghk);
  EXPECT_THROW(recorded(network, ion("cai")), InvalidModel);  // cal and cat read eca
  settings_of(network).mechanisms = {{"pas", {{"g", 1e-4}, {"e", -30.0}}, {}},
                                     {"cal_ghk", {{"pbar", 1e-5}}, {}},
                                     {"capool", {{"decay", 20.0}}, {}}};
  EXPECT_GT(recorded(network, ion("cai")).back(), 1.1e-4);
  EXPECT_THROW(recorded(network, ion("eca")), InvalidModel);
}

// Crank-Nicolson: the current of a step's middle, in closed form for a channel without gates.
TEST(Ions, ACurrentIsThatOfTheStepsMiddleWhereHalfTheStepIsExplicit) {
  std::vector<double> without_pool;
  for (const bool with_pool : {false, true}) {
    auto network = calcium_network(1, with_pool);
    network.run.integrator = models::Integrator::crank_nicolson;
    IonSetting fixed;  // nothing of the pool acts on the voltage
    fixed.reversal_mV = models::Value(120.0);
    set_calcium(network, fixed);
    const auto total = recorded(network, ion("ica"));
    const auto v = recorded(network, {RecordedVariable::Kind::voltage, "", "", "mV"});
    const auto one =
        recorded(network, {RecordedVariable::Kind::mechanism_variable, "cal", "ica", ""});
    const auto two =
        recorded(network, {RecordedVariable::Kind::mechanism_variable, "cat", "ica", ""});
    // What mechanisms record is of the step's beginning; both are linear in v, so the middle has
    // (mid - e)/(begin - e) of it. Round-off of the slope: 1e-16/1e-3.
    for (std::size_t i = 1; i < total.size(); ++i) {
      const double middle = (v[i] + v[i - 1]) / 2;
      EXPECT_NEAR(total[i] / ((one[i] + two[i]) * (middle - 120) / (v[i - 1] - 120)), 1, 1e-11)
          << i;
    }
    EXPECT_GT(std::abs(total[40] / (one[40] + two[40]) - 1), 1e-6);
    if (with_pool) {
      EXPECT_EQ(total, without_pool);
    }
    without_pool = total;
  }
}

TEST(Ions, ACellDoesNotFeelItsNeighbours) {
  // Random trees: their lanes differ in shape, and only somata have a pool.
  auto network = calcium_network(9, false);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  models::RandomTree tree;
  tree.depth = 3;
  cell.morphology = tree;
  models::RegionSettings soma;
  soma.region.name = "soma";
  soma.mechanisms = {{"capool", {{"decay", 20.0}}, {}}, {"sk", {{"gbar", 1e-3}}, {}}};
  cell.regions.push_back(soma);
  record(network, ion("cai"), at("soma", 0.5));
  const auto together = simulate(network).reports[0];
  network.populations[0].size = 1;
  network.recordings.clear();
  const auto alone = recorded(network, ion("cai"));
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(together[i * 9], alone[i]) << i;
  EXPECT_GT(alone.back(), 1.1e-4);
}

}  // namespace
}  // namespace hillock::simulator
