// Cells of random trees are put together from one path through the tree's levels; they are the
// cells that would be made one by one.

#include <gtest/gtest.h>

#include <variant>

#include "core/expressions/expression.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

models::Value of_distance(const std::string& text, const char* unit) {
  return {std::get<Expression>(Expression::parse(text, unit_of(unit), {Variable::distance})), {}};
}

models::RegionSettings in(const std::string& region) {
  models::RegionSettings settings;
  settings.region.name = region;
  return settings;
}

/// Twenty cells: channels on the soma, leaks that overlap and change with distance, ions of which
/// something is read, and something at the tips.
models::Network random_trees() {
  models::Network network = passive_network(20);
  models::RandomTree tree;
  tree.depth = 4;
  tree.branch_probability = {1, 0.6};
  tree.compartments = {6, 2};
  models::CableCell cell;
  cell.morphology = tree;
  models::RegionSettings all = passive(1e-3, -65);
  all.cm_uF_per_cm2 = of_distance("1 uF/cm2 * exp(-distance / 1 mm)", "uF/cm2");
  cell.regions.push_back(all);
  models::RegionSettings soma = in("soma");
  soma.mechanisms.push_back({"hh", {}, {}});
  soma.v_init_mV = models::Value(-60.0);
  cell.regions.push_back(soma);
  models::RegionSettings far = in("dend");
  far.region.distance_um = {100, 350};
  far.Ra_ohm_cm = models::Value(150.0);
  far.v_init_mV = of_distance("-65 mV + distance * 10 mV/m", "mV");
  far.mechanisms.push_back(
      {"pas", {{"g", of_distance("1e-4 S/cm2 + distance * 1e-2 S/cm2/m", "S/cm2")}}, {}});
  far.mechanisms.push_back({"hh", {{"gnabar", 0.05}}, {}});
  far.ions.push_back({"na", models::Value(12.0), {}, models::IonSetting::Reversal::nernst, {}, {}});
  cell.regions.push_back(far);
  cell.detector = models::Detector{at("soma", 0.5), -20, {}};
  network.cells[0].kind = cell;
  models::CurrentClamp clamp;
  clamp.at = at("dend", 0.5);
  clamp.at.kind = Locations::Kind::tips;
  clamp.amplitude = models::Value(0.3);
  clamp.duration_ms = models::Value(5.0);
  models::Stimulus stimulus;
  stimulus.to = whole(network);
  stimulus.kind = clamp;
  network.stimuli.push_back(stimulus);
  Locations everywhere = at("all", 0.5);
  everywhere.kind = Locations::Kind::all;
  record(network, {}, everywhere);
  return network;
}

TEST(RandomTrees, AreWhatCellsMadeOneByOneAre) {
  const models::Network together = random_trees();
  models::Network one_by_one = together;
  // A region that names a branch tells branches of one level apart.
  std::get<models::CableCell>(one_by_one.cells[0].kind).regions.push_back(in("dend[2]"));
  const MemorySink a = simulate(together), b = simulate(one_by_one);
  ASSERT_EQ(a.reports.size(), 1u);
  EXPECT_GT(a.reports[0].size(), 20u * 400u);
  EXPECT_EQ(a.reports, b.reports);
  EXPECT_FALSE(a.all_spikes.empty());
  ASSERT_EQ(a.all_spikes.size(), b.all_spikes.size());
  for (std::size_t i = 0; i < a.all_spikes.size(); ++i) {
    EXPECT_EQ(a.all_spikes[i].cell, b.all_spikes[i].cell);
    EXPECT_EQ(a.all_spikes[i].time_ms, b.all_spikes[i].time_ms);
  }
}

TEST(RandomTrees, ARegionThatNamesABranchIsOnThatBranchAlone) {
  models::Network network = random_trees();
  auto& regions = std::get<models::CableCell>(network.cells[0].kind).regions;
  const MemorySink without = simulate(network);
  models::RegionSettings one = in("dend[0]");
  one.mechanisms.push_back({"pas", {{"g", 0.1}}, {}});
  regions.push_back(one);
  EXPECT_NE(simulate(network).reports, without.reports);
}

}  // namespace
}  // namespace hillock::simulator
