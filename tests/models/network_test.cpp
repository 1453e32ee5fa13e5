#include "models/network.hpp"

#include <gtest/gtest.h>

namespace hillock::models {
namespace {

TEST(Network, CountsCellsThroughAllPopulations) {
  Network network;
  for (const std::uint64_t size : {3, 0, 5}) network.populations.emplace_back().size = size;
  const std::vector<CellId> first = network.first_cells();
  ASSERT_EQ(first.size(), 3U);
  for (std::uint32_t p = 0; p < 3; ++p) EXPECT_EQ(first[p], network.first_cell(PopulationId(p)));
  EXPECT_EQ(first[2], CellId(3));
  EXPECT_EQ(network.cell_count(), 8U);
  EXPECT_EQ(network.population_of(CellId(3)), std::pair(PopulationId(2), std::uint64_t{0}));
}

}  // namespace
}  // namespace hillock::models
