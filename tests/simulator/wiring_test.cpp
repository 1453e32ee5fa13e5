// Cells that a wiring ties together: a cable in two pieces, a voltage clamp, any threads and lanes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/errors/errors.hpp"
#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

using models::RecordedVariable;
using models::Wiring;

/// Cables of so many compartments of 20 um with a leak; the first one is driven at its near end.
models::Network cables(std::uint64_t size, int compartments) {
  auto network = passive_network(size);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.morphology =
      models::Morphology{{cylinder("soma", -1, 20.0 * compartments, 2, compartments)}};
  cell.regions[0] = passive(1e-4, -65);
  models::CurrentClamp clamp;
  clamp.amplitude = 0.1;
  clamp.start_ms = 1.0;
  clamp.duration_ms = 3.0;
  clamp.at = at("soma", 0.01);
  network.stimuli.push_back({"clamp", {PopulationId(0), 0, 1, {}}, clamp, {}});
  record(network, {RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.99));
  network.recordings[0].every_ms = network.run.dt_ms;
  return network;
}

/// A population of cells of one compartment, for unknowns that are no voltages.
void add_free(models::Network& network, std::uint64_t size) {
  models::Cell cell = network.cells[0];
  cell.name = "free";
  auto& cable = std::get<models::CableCell>(cell.kind);
  cable.morphology = models::Morphology{{cylinder("soma", -1, 10, 10, 1)}};
  cable.regions[0].mechanisms.clear();
  network.cells.push_back(cell);
  models::Population population = network.populations[0];
  population.name = "free";
  population.cell = network.cells.size() - 1;
  population.size = size;
  network.populations.push_back(population);
}

void join(Wiring& wiring, std::uint32_t one, std::uint32_t other, double g_uS) {
  wiring.terms.push_back({one, one, 0, g_uS});
  wiring.terms.push_back({one, other, 0, -g_uS});
  wiring.terms.push_back({other, other, 0, g_uS});
  wiring.terms.push_back({other, one, 0, -g_uS});
}

Wiring::Spot spot(std::uint64_t cell, double position) {
  Wiring::Spot made;
  made.cell = cell;
  made.position = position;
  return made;
}

/// A cable in two pieces, whose ends a thick wire joins.
models::Network two_pieces() {
  auto network = cables(2, 5);
  Wiring wiring;
  wiring.spots = {spot(0, 1), spot(1, 0)};
  join(wiring, 0, 1, 1e8);
  network.wiring = wiring;
  return network;
}

TEST(Wiring, TwoPiecesOfACableAreOne) {
  const auto whole = simulate(cables(1, 10)).reports[0];
  const auto pieces = simulate(two_pieces()).reports[0];
  ASSERT_EQ(pieces.size(), 2 * whole.size());
  EXPECT_GT(whole[whole.size() / 2] - whole[0], 0.1);  // something comes through
  for (std::size_t step = 0; step < whole.size(); ++step)
    EXPECT_NEAR(pieces[2 * step + 1], whole[step], 1e-6);
}

TEST(Wiring, ABatteryHoldsAVoltage) {
  auto network = cables(1, 5);
  add_free(network, 1);
  Wiring wiring;
  wiring.spots = {spot(0, 0.9), spot(0, 0.5)};
  wiring.spots[1].population = PopulationId(1);
  wiring.spots[1].is_free = true;
  wiring.terms = {{0, 1, 0, -1}, {1, 0, 0, 1}};  // the free one is the current that it gives
  wiring.played = {{1, {{-1e9, -65}, {2, -65}, {2, -20}, {1e9, -20}}}};
  network.wiring = wiring;
  network.recordings[0].at = at("soma", 0.9);
  const auto v = simulate(network).reports[0];
  for (std::size_t step = 1; step < v.size(); ++step)
    EXPECT_NEAR(v[step], static_cast<double>(step) * network.run.dt_ms > 2 + 1e-9 ? -20 : -65, 1e-9)
        << step;
}

/// A layer that lies around a cable, tied to ground by xg or, compartment by compartment, by a
/// wiring.
models::Network sheathed(double xg, int layers) {
  auto network = cables(1, 5);
  auto& region = std::get<models::CableCell>(network.cells[0].kind).regions[0];
  for (int layer = 0; layer < layers; ++layer)
    region.layers.push_back({1e4, layer + 1 < layers ? 1e-3 : xg, 0});
  return network;
}

TEST(Wiring, TiesLayersToGround) {
  for (const int layers : {1, 2}) {
    const auto wanted = simulate(sheathed(2e-3, layers)).reports[0];
    auto network = sheathed(0, layers);
    Wiring wiring;
    for (std::uint32_t k = 0; k < 5; ++k) {
      wiring.spots.push_back(spot(0, 0.1 + 0.2 * k));
      wiring.spots.back().layer = static_cast<std::uint32_t>(layers);
      wiring.terms.push_back({k, k, 0, 2e-3 * M_PI * 2 * 20 * 1e-2});
    }
    network.wiring = wiring;
    std::get<models::CableCell>(network.cells[0].kind).layers_are_tied = true;
    const auto v = simulate(network).reports[0];
    ASSERT_EQ(v.size(), wanted.size());
    for (std::size_t step = 0; step < v.size(); ++step) EXPECT_NEAR(v[step], wanted[step], 1e-9);
  }
}

TEST(Wiring, RefusesALayerThatIsNotThere) {
  auto network = sheathed(1e-3, 1);
  Wiring wiring;
  wiring.spots = {spot(0, 0.5)};
  wiring.spots[0].layer = 2;
  wiring.terms = {{0, 0, 0, 1e-3}};
  network.wiring = wiring;
  EXPECT_THROW(simulate(network), InvalidModel);
}

/// Many cells, tied to one another in pairs and to all by the first.
models::Network many() {
  auto network = cables(19, 5);
  Wiring wiring;
  for (std::uint64_t cell = 0; cell < 19; ++cell)
    for (const double position : {0.1, 0.9, 1.0}) wiring.spots.push_back(spot(cell, position));
  for (std::uint32_t cell = 0; cell + 1 < 19; ++cell) {
    join(wiring, 3 * cell + 1, 3 * cell + 3, 0.01);
    if (cell % 5 == 0) join(wiring, 3 * cell + 5, 1, 0.002);
  }
  network.wiring = wiring;
  return network;
}

TEST(Wiring, TheSameOnAnyThreadsAndLanes) {
  const auto wanted = simulate(many()).reports[0];
  for (const int threads : {1, 3, 4})
    for (const int side_by_side : {1, 4, 8}) {
      SimulationOptions options;
      options.threads = threads;
      options.side_by_side = side_by_side;
      EXPECT_EQ(simulate(many(), options).reports[0], wanted)
          << threads << " threads, " << side_by_side << " side by side";
    }
}

void expect_refused(const models::Network& network, const std::string& text) {
  try {
    simulate(network);
    ADD_FAILURE() << "not refused: " << text;
  } catch (const InvalidModel& problem) {
    EXPECT_THAT(problem.what(), ::testing::HasSubstr(text));
  }
}

TEST(Wiring, SaysWhatItCannotBeBeside) {
  auto network = two_pieces();
  network.run.integrator = models::Integrator::crank_nicolson;
  expect_refused(network, "backward_euler");
  network = two_pieces();
  network.recordings[0].variable->kind = RecordedVariable::Kind::membrane_current;
  expect_refused(network, "membrane currents");
  network = two_pieces();
  network.wiring->spots[0].is_free = true;
  expect_refused(network, "one compartment");
  network.wiring->spots[1].cell = 0;
  expect_refused(network, "a cell of its own");
}

}  // namespace
}  // namespace hillock::simulator
