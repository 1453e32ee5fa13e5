// How cells are turned.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "network/positions.hpp"

namespace hillock::network {
namespace {

models::Network with_rotations(models::Rotations rotations) {
  models::Network network;
  models::Population& population = network.populations.emplace_back();
  population.size = 1000;
  population.rotations = std::move(rotations);
  return network;
}

Rotation of(const models::Network& network, std::uint64_t cell) {
  return rotation_of(network, PopulationId(0), cell);
}

void expect_rotation(const Rotation& rotation) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += rotation[i][k] * rotation[j][k];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-14);
    }
  const auto& r = rotation;
  EXPECT_NEAR(r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                  r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                  r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]),
              1, 1e-14);
}

TEST(Rotations, GoAboutZThenYThenX) {
  using Kind = models::Rotations::Kind;
  for (double angle = -7; angle < 7; angle += 0.3) {
    const double s = std::sin(angle), c = std::cos(angle);
    const Rotation about_z =
        of(with_rotations({.kind = Kind::list, .angles_rad = {{0, 0, angle}}}), 5);
    const Rotation expected{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    const Rotation about_x =
        of(with_rotations({.kind = Kind::list, .angles_rad = {{angle, 0, 0}}}), 5);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(about_z[i][j], expected[i][j], 1e-15);
        EXPECT_NEAR(about_x[(i + 1) % 3][(j + 1) % 3], expected[i][j], 1e-15);
      }
  }
  // x becomes y, and then z: about z, and then about x.
  const double quarter = std::acos(0.0);
  const auto both = with_rotations({.kind = Kind::list, .angles_rad = {{quarter, 0, quarter}}});
  EXPECT_NEAR(of(both, 0)[2][0], 1, 1e-15);
  const CellPlace place(both, PopulationId(0), 0, {10, 20, 30});
  const auto at = place.of({11, 20, 30});
  EXPECT_NEAR(at[0], 10, 1e-14);
  EXPECT_NEAR(at[1], 20, 1e-14);
  EXPECT_NEAR(at[2], 31, 1e-14);
}

TEST(Rotations, AreDrawnForEachCell) {
  using Kind = models::Rotations::Kind;
  for (const models::Rotations& rotations :
       {models::Rotations{.kind = Kind::about_an_axis, .axis = 1}, {.kind = Kind::any}}) {
    const models::Network network = with_rotations(rotations);
    std::set<double> drawn;
    double mean[3] = {};
    for (std::uint64_t cell = 0; cell < 1000; ++cell) {
      const Rotation rotation = of(network, cell);
      expect_rotation(rotation);
      drawn.insert(rotation[0][0]);
      for (std::size_t i = 0; i < 3; ++i) mean[i] += rotation[i][1] / 1000;
    }
    EXPECT_EQ(drawn.size(), 1000u);
    EXPECT_NEAR(mean[0], 0, 0.1);
    EXPECT_NEAR(mean[1], rotations.kind == Kind::any ? 0 : 1, 0.1);  // the axis stays
    EXPECT_NEAR(mean[2], 0, 0.1);
  }
}

}  // namespace
}  // namespace hillock::network
