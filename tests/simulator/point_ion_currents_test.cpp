// Point processes that write an ion's current: in nA, while a location's is in mA/cm2
// (emitted/calcium_entry.mod).

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "emitted/CalciumEntryTest.hpp"
#include "tests/simulator/emitted_mechanism.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

using models::RecordedVariable;

constexpr std::size_t ion_cells = 9;         // more than a pack has lanes
constexpr std::size_t compartments = 4;  // the soma's, then the dendrite's

/// Cells with a channel everywhere and points in the soma and in the middle of a dendrite whose
/// compartments have less than 1 um2.
models::Network entries(bool with_pool) {
  auto network = passive_network(ion_cells);
  network.run.steps = 40;
  network.run.duration_ms = 1;
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20, 20, 1), cylinder("dend", 0, 3, 0.2, 3)}};
  cell.regions[0].mechanisms.push_back({"cal", {{"gbar", 1e-4}}, {}});
  if (with_pool) cell.regions[0].mechanisms.push_back({"capool", {{"decay", 20.0}}, {}});
  for (const auto& [branch, amount_nA] : {std::pair{"soma", 0.01}, std::pair{"dend", 0.0002}}) {
    models::PlacedPoint placed;
    placed.point = {{"calcium_entry", {{"amount", amount_nA}}, {}}, at(branch, 0.5)};
    network.stimuli.push_back({"", whole(network), placed, {}});
  }
  return network;
}

std::vector<double> recorded_of(models::Network network, const RecordedVariable& variable) {
  Locations everywhere;
  everywhere.kind = Locations::Kind::all;
  record(network, variable, everywhere);
  SimulationOptions options;
  options.mechanisms.add(emitted_mechanism<mechanisms::CalciumEntryTest>());
  return simulate(network, options).reports[0];
}

double entry_mA_per_cm2(std::size_t compartment) {
  constexpr double soma_um2 = std::numbers::pi * 20 * 20, third_um2 = std::numbers::pi * 0.2;
  if (compartment == 0) return -0.01 * 100 / soma_um2;
  return compartment == 2 ? -0.0002 * 100 / third_um2 : 0;
}

TEST(PointIonCurrents, AreRecordedAsCurrentsThroughTheirCompartmentsMembrane) {
  for (const bool with_pool : {false, true}) {
    const auto network = entries(with_pool);
    const auto total = recorded_of(network, {RecordedVariable::Kind::ion_variable, "", "ica", ""});
    const auto channel =
        recorded_of(network, {RecordedVariable::Kind::mechanism_variable, "cal", "ica", ""});
    ASSERT_EQ(total.size(), 40 * ion_cells * compartments);
    ASSERT_EQ(channel.size(), total.size());
    for (std::size_t i = 0; i < total.size(); ++i)
      EXPECT_NEAR(total[i], channel[i] + entry_mA_per_cm2(i % compartments), 1e-15)
          << i << (with_pool ? " with a pool" : "");
  }
}

TEST(PointIonCurrents, FillAPoolUnderTheirCompartment) {
  auto network = entries(true);
  const auto cai = recorded_of(network, {RecordedVariable::Kind::ion_variable, "", "cai", "mM"});
  const auto ica = recorded_of(network, {RecordedVariable::Kind::ion_variable, "", "ica", ""});
  for (std::size_t i = ion_cells * compartments; i < cai.size(); ++i) {
    const double slope_mM_per_ms = -10000 * 0.05 * ica[i] / (2 * 96485.3321233100 * 0.1);
    const double end_mM = 1e-4 + slope_mM_per_ms * 20;
    EXPECT_NEAR(cai[i], end_mM + (cai[i - ion_cells * compartments] - end_mM) * std::exp(-0.025 / 20),
                1e-16)
        << i;
  }
}

}  // namespace
}  // namespace hillock::simulator
