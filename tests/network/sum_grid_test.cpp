// Weights as whole multiples of one power of 2: what that is, what they are rounded to, and that as
// many of them as are promised still add up.

#include "network/propagation/sum_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hillock::network {
namespace {

constexpr double two_40 = 0x1p40;

TEST(SumGrid, HasA2To40thOfThePowerOf2ThatTheLargestWeightDoesNotExceed) {
  EXPECT_EQ(SumGrid(1).spacing(), 1 / two_40);
  EXPECT_EQ(SumGrid(std::nextafter(1, 2)).spacing(), 2 / two_40);
  EXPECT_EQ(SumGrid(0.5).spacing(), 0.5 / two_40);
  EXPECT_EQ(SumGrid(0.7).spacing(), 1 / two_40);
  EXPECT_EQ(SumGrid(351.24).spacing(), 512 / two_40);
  EXPECT_EQ(SumGrid(1e-5).spacing(), std::ldexp(1, -16) / two_40);
  EXPECT_EQ(SumGrid(0).spacing(), 1);
}

TEST(SumGrid, HoldsMultiplesOfPowersOf2WithoutRounding) {
  const SumGrid grid(3);
  for (int exponent = -38; exponent <= 1; ++exponent)
    for (const double sign : {-1.0, 1.0}) {
      const double weight = sign * std::ldexp(1, exponent);
      EXPECT_EQ(static_cast<double>(grid.multiple_of(weight)) * grid.spacing(), weight);
    }
}

TEST(SumGrid, RoundsToTheNearestMultipleAndHalvesToTheEvenOne) {
  const SumGrid grid(1);
  const double spacing = grid.spacing();
  EXPECT_EQ(grid.multiple_of(2.4 * spacing), 2);
  EXPECT_EQ(grid.multiple_of(2.5 * spacing), 2);
  EXPECT_EQ(grid.multiple_of(3.5 * spacing), 4);
  EXPECT_EQ(grid.multiple_of(-2.5 * spacing), -2);
  EXPECT_EQ(grid.multiple_of(-2.6 * spacing), -3);
  EXPECT_EQ(grid.multiple_of(0.1), std::llrint(0.1 * two_40));
}

TEST(SumGrid, AddsUpTwiceTheMostConnectionsOfTheLargestWeight) {
  for (const double largest : {1.0, std::nextafter(2, 1), 1e-300, 1e300}) {
    const SumGrid grid(largest);
    const auto one = grid.multiple_of(largest);
    const auto most = std::numeric_limits<std::int64_t>::max();
    EXPECT_LE(one, std::int64_t{1} << 40);
    EXPECT_LE(SumGrid::most_connections * 2, static_cast<std::uint64_t>(most / one) + 1);
  }
}

TEST(SumGrid, KeepsAProjectionsWeightsIn31BitsAndNoFinerThanSums) {
  const SumGrid grid(1024);
  EXPECT_EQ(grid.shift_for(1024), 10);
  EXPECT_EQ(grid.shift_for(1), 0);
  EXPECT_EQ(grid.shift_for(1e-3), 0);
  EXPECT_EQ(grid.shift_for(0), 0);
  for (const double largest : {1024.0, 1000.0, 37.5, 2.1, 1.0, 0.01}) {
    const double multiple = std::ldexp(largest / grid.spacing(), -grid.shift_for(largest));
    EXPECT_LE(multiple, 0x1p30);
    if (grid.shift_for(largest) > 0) {
      EXPECT_GT(multiple, 0x1p29);
    }
  }
}

TEST(SumGrid, KeepsTheLeastProjectionToOnePartIn2To20) {
  const double largest = 1;
  const SumGrid grid(largest);
  const double least = largest * SumGrid::least_ratio;
  EXPECT_EQ(grid.multiple_of(least), std::int64_t{1} << 20);
}

}  // namespace
}  // namespace hillock::network
