// `v_init: rest`: cells begin where they would stay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

models::CableCell& cable_of(models::Network& network) {
  return std::get<models::CableCell>(network.cells[0].kind);
}

models::Locations everywhere() {
  Locations all;
  all.kind = Locations::Kind::all;
  return all;
}

/// Cells of a soma that rests at -80 mV and a dendrite that rests at -60 mV, each by itself.
models::Network two_rests(std::uint64_t cells) {
  auto network = passive_network(cells);
  cable_of(network).morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 400, 2, 9)}};
  cable_of(network).regions = {passive(1e-4, -60), passive(1e-4, -80)};
  cable_of(network).regions[1].region.name = "soma";
  network.run.begins_at_rest = true;
  return network;
}

void record_all(models::Network& network) {
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, everywhere());
}

/// How far the voltages of a run go from where they begin.
double movement(const models::Network& network, std::size_t columns) {
  const auto rows = simulate(network).reports[0];
  double most = 0;
  for (std::size_t i = columns; i < rows.size(); ++i)
    most = std::max(most, std::abs(rows[i] - rows[i % columns]));
  return most;
}

/// A look at the voltages is after 1 ms, or after a step that is longer.
TEST(Rest, IsFoundWithStepsOfAnyLength) {
  for (const double dt_ms : {1e-3, 0.0013, 0.025, 150.0}) {
    auto network = two_rests(1);
    network.run.dt_ms = dt_ms;
    network.run.steps = 4;
    network.run.duration_ms = 4 * dt_ms;
    record_all(network);
    EXPECT_LT(movement(network, 10), 1e-5) << dt_ms;
  }
}

TEST(Rest, IsAProfileAndStays) {
  auto network = two_rests(3);
  record_all(network);
  const auto rows = simulate(network).reports[0];
  // Between the two rests, and rising with the distance from the soma.
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_GT(rows[i], -80);
    EXPECT_LT(rows[i], -60);
    if (i > 0) {
      EXPECT_GT(rows[i], rows[i - 1]);
    }
    EXPECT_EQ(rows[i], rows[10 + i]) << "cells differ";
  }
  EXPECT_GT(rows[9] - rows[0], 1);
  // It was found where 100 ms move less than 1e-6 mV, and tau is 10 ms.
  EXPECT_LT(movement(network, 30), 1e-6);
  network.run.begins_at_rest = false;
  EXPECT_GT(movement(network, 30), 1);
}

TEST(Rest, OfCellsThatSpikeIsWhereTheyDoNot) {
  auto network = passive_network(2);
  network.run.temperature_degC = 6.3;
  cable_of(network).regions[0].mechanisms = {{"hh", {}, {}}};
  cable_of(network).detector = models::Detector{at("soma", 0.5), 0, {}};
  network.run.v_init_mV = -100;  // from which a cell spikes
  record_all(network);
  EXPECT_GT(movement(network, 2), 110);
  network.run.begins_at_rest = true;
  EXPECT_LT(movement(network, 2), 1e-5);
}

TEST(Rest, IsFoundWithoutStimuliAndWhateverTheIntegrator) {
  auto network = two_rests(1);
  record_all(network);
  const double rest = simulate(network).reports[0][0];
  network.run.integrator = models::Integrator::crank_nicolson;
  models::CurrentClamp clamp;
  clamp.amplitude = 0.1;
  clamp.duration_ms = 1000.0;
  clamp.at = at("soma", 0.5);
  network.stimuli.push_back({"", whole(network), clamp, {}});
  const auto rows = simulate(network).reports[0];
  EXPECT_EQ(rows[0], rest);
  EXPECT_GT(rows[rows.size() - 10], rest + 1);
}

TEST(Rest, OfARegionLeavesTheOthersWhereTheyAre) {
  auto network = two_rests(2);
  network.run.begins_at_rest = false;
  cable_of(network).regions[1].begins_at_rest = true;
  record_all(network);
  const auto rows = simulate(network).reports[0];
  auto all = two_rests(2);
  record_all(all);
  EXPECT_EQ(rows[0], simulate(all).reports[0][0]);
  EXPECT_EQ(rows[1], network.run.v_init_mV);
  // A later entry wins.
  cable_of(network).regions.push_back({});
  cable_of(network).regions[2].v_init_mV = models::Value(-71.0);
  EXPECT_EQ(simulate(network).reports[0][0], -71);
}

TEST(Rest, IsTheFirstCellsWhereCellsDiffer) {
  auto network = two_rests(4);
  const auto e = Expression::parse("-70 mV - 1 mV * index", unit_of("mV"), {Variable::index});
  for (models::RegionSettings& settings : cable_of(network).regions)
    settings.mechanisms[0].parameters.insert_or_assign("e",
                                                       models::Value(std::get<Expression>(e), {}));
  record_all(network);
  const auto rows = simulate(network).reports[0];
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(rows[i], -70, 1e-6);
}

TEST(Rest, OfCellsThatHaveNoneIsAnError) {
  auto network = passive_network(1);
  cable_of(network).regions[0].mechanisms = {{"hh", {{"el", models::Value(10.0)}}, {}}};
  network.run.begins_at_rest = true;
  network.populations[0].name = "pacemakers";
  try {
    simulate(network);
    FAIL() << "accepted";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("populations.pacemakers: pacemakers[0] finds no "
                                                  "rest from which to begin (v_init: rest): after "
                                                  "10 s alone its voltage still moves by"),
                               testing::HasSubstr("mV in 100 ms. Does it spike by itself?")));
  }
}

}  // namespace
}  // namespace hillock::simulator
