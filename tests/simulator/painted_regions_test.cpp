// Mechanisms that several regions name: what each says of its nodes, and keeps of the others.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

models::RegionSettings leak_in(const std::string& region,
                               std::map<std::string, models::Value> parameters) {
  models::RegionSettings settings;
  settings.region.name = region;
  settings.mechanisms.push_back({"pas", std::move(parameters), {}});
  return settings;
}

/// Of a soma, a dendrite of two compartments and an axon of two, in this order.
std::vector<double> recorded(const std::vector<models::RegionSettings>& regions,
                             const std::string& parameter) {
  auto network = passive_network(1);
  network.run.steps = 4;
  network.run.duration_ms = 0.1;
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 100, 2, 2),
                          cylinder("axon", 0, 100, 1, 2)}};
  cell.regions = regions;
  Locations everywhere;
  everywhere.kind = Locations::Kind::all;
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "pas", parameter, ""},
         everywhere);
  const auto rows = simulate(network).reports.at(0);
  return {rows.begin(), rows.begin() + 5};
}

using Numbers = std::vector<double>;

TEST(PaintedRegions, LaterOnesReplaceWhatTheyNameAndKeepTheRest) {
  const auto all = leak_in("all", {{"g", 3e-4}, {"e", -60.0}});
  const auto dend = leak_in("dend", {{"g", 2e-4}}), axon = leak_in("axon", {{"e", -50.0}});
  EXPECT_EQ(recorded({all, dend, axon}, "g"), (Numbers{3e-4, 2e-4, 2e-4, 3e-4, 3e-4}));
  EXPECT_EQ(recorded({all, dend, axon}, "e"), (Numbers{-60, -60, -60, -50, -50}));
}

TEST(PaintedRegions, WhatIsSaidOfSomeStaysWhenOthersAreAdded) {
  const auto dend = leak_in("dend", {{"g", 2e-4}}), axon = leak_in("axon", {{"g", 5e-4}});
  const auto all = leak_in("all", {{"e", -60.0}});
  const double otherwise = recorded({leak_in("all", {})}, "g")[0];
  EXPECT_EQ(recorded({dend, all}, "g"), (Numbers{otherwise, 2e-4, 2e-4, otherwise, otherwise}));
  EXPECT_EQ(recorded({axon, dend, all}, "g"), (Numbers{otherwise, 2e-4, 2e-4, 5e-4, 5e-4}));
  EXPECT_EQ(recorded({axon, dend, all}, "e"), (Numbers{-60, -60, -60, -60, -60}));
}

}  // namespace
}  // namespace hillock::simulator
