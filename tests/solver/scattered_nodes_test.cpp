#include "solver/potential/scattered_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hillock::solver {
namespace {

std::vector<Place> drawn(std::size_t count, double reach, unsigned seed) {
  std::mt19937_64 draws(seed);
  std::uniform_real_distribution<double> um(-reach, reach);
  std::vector<Place> places(count);
  for (Place& place : places) place = {um(draws), um(draws), um(draws)};
  return places;
}

double between(const ScatteredNodes::Weights& weights, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) sum += weights.of[k] * values[weights.nodes[k]];
  return sum;
}

double squared(const Place& a, const Place& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

/// The convex function |x|^2 is interpolated by the lower hull of its values, which Delaunay's
/// triangulation is: any four nodes around a place give at least as much.
TEST(ScatteredNodes, TetrahedraHaveEmptySpheres) {
  const std::vector<Place> nodes = drawn(60, 100, 1);
  ScatteredNodes scattered(nodes);
  int within = 0;
  for (const Place& place : drawn(40, 100, 2)) {
    const auto found = scattered.around(place);
    if (!found) continue;
    ++within;
    double sum = 0, least = 1;
    for (std::size_t k = 0; k < 4; ++k) {
      sum += found->of[k];
      least = std::min(least, found->of[k]);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_GE(least, -1e-12);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double at = 0;
      for (std::size_t k = 0; k < 4; ++k) at += found->of[k] * nodes[found->nodes[k]][axis];
      EXPECT_NEAR(at, place[axis], 1e-10);
    }
    // A plane through the four lifted corners has no lifted node below it: the height of one above
    // it is what it adds to a place that it is the mean of.
    std::vector<double> lifted;
    for (const Place& node : nodes) lifted.push_back(squared(node, place));
    const double height = between(*found, lifted);
    for (std::size_t skip = 0; skip < nodes.size(); ++skip) {
      const Place towards = {place[0] + 1e-3 * (nodes[skip][0] - place[0]),
                             place[1] + 1e-3 * (nodes[skip][1] - place[1]),
                             place[2] + 1e-3 * (nodes[skip][2] - place[2])};
      const auto there = scattered.around(towards);
      ASSERT_TRUE(there);
      // Convex along the way to the node.
      EXPECT_LE(between(*there, lifted), (1 - 1e-3) * height + 1e-3 * lifted[skip] + 1e-8);
    }
  }
  EXPECT_GT(within, 10);
}

TEST(ScatteredNodes, WhatIsLinearIsExactWhereNodesAreAround) {
  std::vector<Place> nodes;
  for (int x = -3; x <= 3; ++x)  // a grid, whose boxes are on spheres
    for (int y = -3; y <= 3; ++y)
      for (int z = -3; z <= 3; ++z) nodes.push_back({10.0 * x, 10.0 * y, 10.0 * z});
  std::vector<double> values;
  for (const Place& node : nodes) values.push_back(3 + node[0] - 2 * node[1] + 0.5 * node[2]);
  ScatteredNodes scattered(nodes);
  std::vector<Place> places = drawn(200, 30, 3);
  places.insert(places.end(), nodes.begin(), nodes.end());
  for (Place place : drawn(50, 30, 4)) {  // in planes of nodes, and on the hull
    place[2] = 10;
    places.push_back(place);
    place[2] = -30;
    places.push_back(place);
  }
  for (const Place& place : places) {
    const auto found = scattered.around(place);
    ASSERT_TRUE(found) << place[0] << " " << place[1] << " " << place[2];
    EXPECT_NEAR(between(*found, values), 3 + place[0] - 2 * place[1] + 0.5 * place[2], 2e-4);
    for (const std::size_t node : found->nodes) EXPECT_LT(squared(nodes[node], place), 3.1 * 100);
  }
  EXPECT_FALSE(scattered.around({0, 0, 30.01}));
}

TEST(ScatteredNodes, AnswersDoNotDependOnQuestionsBefore) {
  const std::vector<Place> nodes = drawn(500, 100, 5), places = drawn(100, 90, 6);
  ScatteredNodes one(nodes), other(nodes);
  std::vector<std::optional<ScatteredNodes::Weights>> forwards(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) forwards[p] = one.around(places[p]);
  for (std::size_t p = places.size(); p-- > 0;) {
    const auto found = other.around(places[p]);
    ASSERT_EQ(found.has_value(), forwards[p].has_value());
    if (!found) continue;
    EXPECT_EQ(found->nodes, forwards[p]->nodes);
    EXPECT_EQ(found->of, forwards[p]->of);
  }
}

TEST(ScatteredNodes, FewNodesAndThoseOfAPlaneAreAroundNothing) {
  const std::vector<Place> three{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_FALSE(ScatteredNodes(three).around({0.1, 0.1, 0}));
  const std::vector<Place> flat{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.2, 0}};
  EXPECT_FALSE(ScatteredNodes(flat).around({0.1, 0.1, 0}));
  EXPECT_EQ(ScatteredNodes(flat).nearest({0.6, 0.1, 4}), 4U);
}

}  // namespace
}  // namespace hillock::solver
