// The shortest delay of spikes that others than an engine of point neurons bring to it.

#include <gtest/gtest.h>

#include <vector>

#include "tests/simulator/networks.hpp"
#include "tests/simulator/part_of_network.hpp"
#include "tests/simulator/point_networks.hpp"

namespace hillock::simulator {
namespace {

/// Two columns of as many point neurons, a and b. Delays in ms: within a 0.1, within b 0.2, from a
/// to b `between_ms`. The first of its cells is one with a membrane, which neither column has.
models::Network two_columns(double between_ms) {
  models::Network network = passive_network(4);
  network.run.dt_ms = 0.1;
  network.cells.push_back({"i", models::ArtificialCell{{"izhikevich", {}, {}}}, {}});
  network.populations = {{"a", 1, 10, {}, {}}, {"b", 1, 10, {}, {}}};
  using Kind = models::ConnectionRule::Kind;
  project(network, Kind::all_to_all, 0, 0).delay.base_ms = 0.1;
  project(network, Kind::all_to_all, 1, 1).delay.base_ms = 0.2;
  project(network, Kind::all_to_all, 0, 1).delay.base_ms = between_ms;
  return network;
}

double told_delay_of(const models::Network& network, int rank, int ranks) {
  const network::Placement placement(network, models::PlacementKind::cost, rank, ranks);
  return PartOfNetwork(network, SimulationOptions{}.mechanisms, placement, 1)
      .shortest_told_delay_ms();
}

TEST(ToldDelays, OfPointNeuronsAreThoseBetweenRanks) {
  const models::Network network = two_columns(3);
  EXPECT_EQ(told_delay_of(network, 0, 1), 0);
  EXPECT_EQ(told_delay_of(network, 0, 2), 0);
  EXPECT_EQ(told_delay_of(network, 1, 2), 3);
}

TEST(ToldDelays, OfARankThatHasAPartOfAColumnAreItsOwn) {
  const models::Network network = two_columns(3);
  EXPECT_EQ(told_delay_of(network, 0, 3), 0.1);
  EXPECT_EQ(told_delay_of(network, 1, 3), 0.1);
  EXPECT_EQ(told_delay_of(network, 2, 3), 0.2);
}

TEST(ToldDelays, AreAlsoThoseOfOtherCells) {
  models::Network network = two_columns(3);
  network.populations.push_back({"c", 0, 4, {}, {}});
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.detector = models::Detector{at("soma", 0.5), 0, {}};
  project(network, models::ConnectionRule::Kind::all_to_all, 2, 0).delay.base_ms = 0.7;
  EXPECT_EQ(told_delay_of(network, 0, 1), 0.7);
}

}  // namespace
}  // namespace hillock::simulator
