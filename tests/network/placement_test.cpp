// Every cell is one rank's, and shares are of like size.

#include "network/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hillock::network {
namespace {

using models::PlacementKind;

constexpr PlacementKind kinds[] = {PlacementKind::cost, PlacementKind::blocks,
                                   PlacementKind::round_robin};

models::Network network_of(const std::vector<std::uint64_t>& sizes) {
  models::Network network;
  for (const std::uint64_t size : sizes) network.populations.push_back({"p", 0, size, {}, {}});
  return network;
}

std::uint64_t cells_on(const Placement& placement, const models::Network& network, int rank) {
  std::uint64_t cells = 0;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p)
    cells += placement.cells_of(PopulationId(p), rank).size();
  return cells;
}

TEST(CellSet, TellsItsCellsInOrder) {
  const CellSet every_third{4, 15, 3};  // 4 7 10 13
  EXPECT_EQ(every_third.size(), 4u);
  EXPECT_EQ(every_third[3], 13u);
  EXPECT_TRUE(every_third.contains(10));
  EXPECT_FALSE(every_third.contains(9));
  EXPECT_FALSE(every_third.contains(1));
  EXPECT_FALSE(every_third.contains(16));
  EXPECT_EQ(every_third.before(4), 0u);
  EXPECT_EQ(every_third.before(5), 1u);
  EXPECT_EQ(every_third.before(10), 2u);
  EXPECT_EQ(every_third.before(100), 4u);
  EXPECT_EQ((CellSet{7, 7}.size()), 0u);
  EXPECT_EQ((CellSet{9, 5, 4}.size()), 0u);
}

TEST(CellSet, HasThoseWithinASlice) {
  for (std::uint64_t stride = 1; stride < 5; ++stride)
    for (std::uint64_t first = 0; first < 20; ++first)
      for (std::uint64_t last = first; last < 20; ++last) {
        const CellSet all{3, 16, stride}, some = all.within(first, last);
        std::uint64_t i = 0;
        for (std::uint64_t cell = 0; cell < 20; ++cell) {
          const bool is_there = all.contains(cell) && cell >= first && cell < last;
          ASSERT_EQ(some.contains(cell), is_there);
          if (!is_there) continue;
          ASSERT_EQ(some[i++], cell);
        }
        ASSERT_EQ(some.size(), i);
      }
}

TEST(Placement, EveryCellIsOneRanks) {
  for (const auto& sizes : {std::vector<std::uint64_t>{1, 7, 100, 0, 3}, {13}, {2, 2, 2, 2, 2, 2}})
    for (const PlacementKind kind : kinds)
      for (int ranks = 1; ranks < 20; ++ranks) {
        const models::Network network = network_of(sizes);
        CellCosts costs;
        for (const std::uint64_t size : sizes)
          costs.push_back({{size / 3, 1000}, {size / 2, 1}, {size, 77}});
        const Placement placement(network, kind, 0, ranks, costs);
        for (std::uint32_t p = 0; p < sizes.size(); ++p) {
          std::vector<int> owners(sizes[p], -1);
          for (int rank = 0; rank < ranks; ++rank) {
            const CellSet cells = placement.cells_of(PopulationId(p), rank);
            for (std::uint64_t i = 0; i < cells.size(); ++i) {
              ASSERT_LT(cells[i], sizes[p]);
              ASSERT_EQ(owners[cells[i]], -1);
              owners[cells[i]] = rank;
            }
          }
          for (std::uint64_t cell = 0; cell < sizes[p]; ++cell)
            ASSERT_EQ(owners[cell], placement.rank_of(PopulationId(p), cell))
                << name_of(kind) << ", " << ranks << " ranks, " << p << "[" << cell << "]";
        }
      }
}

TEST(Placement, BlocksAndTurnsDifferByOneCellInAll) {
  const models::Network network = network_of({3, 5, 1, 1, 1, 4});
  for (const PlacementKind kind : {PlacementKind::blocks, PlacementKind::round_robin})
    for (int ranks = 1; ranks < 18; ++ranks) {
      const Placement placement(network, kind, 0, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        const auto least = static_cast<std::uint64_t>(15 / ranks);
        const std::uint64_t cells = cells_on(placement, network, rank);
        EXPECT_GE(cells, least);
        EXPECT_LE(cells, least + 1);
      }
    }
}

TEST(Placement, ByCostSharesDifferByOneCellsCost) {
  const models::Network network = network_of({1000, 10, 500});
  const CellCosts costs{{{600, 10}, {1000, 1}}, {{10, 300}}, {{500, 20}}};
  const double all = 6000 + 400 + 3000 + 10000;
  for (const int ranks : {1, 2, 3, 7, 16}) {
    const Placement placement(network, PlacementKind::cost, 0, ranks, costs);
    for (int rank = 0; rank < ranks; ++rank) {
      double cost = 0;
      for (std::uint32_t p = 0; p < 3; ++p) {
        const CellSet cells = placement.cells_of(PopulationId(p), rank);
        EXPECT_EQ(cells.stride, 1u);
        for (std::uint64_t i = 0; i < cells.size(); ++i)
          cost += static_cast<double>(std::ranges::find_if(costs[p], [&](const CellCost& c) {
                                        return cells[i] < c.end;
                                      })->cost);
      }
      EXPECT_NEAR(cost, all / ranks, 300) << ranks << " ranks, rank " << rank;
    }
  }
}

TEST(Placement, OfABillionExpensiveCellsIsExact) {
  const models::Network network = network_of({1000000000, 4000000000});
  const std::uint64_t cost = std::uint64_t{1} << 39;
  const Placement placement(network, PlacementKind::cost, 0, 10000,
                            {{{1000000000, cost}}, {{4000000000, cost}}});
  for (const int rank : {0, 1, 1999, 2000, 9999})
    EXPECT_EQ(cells_on(placement, network, rank), 500000u);
  EXPECT_EQ(placement.rank_of(PopulationId(1), 3999999999), 9999);
}

TEST(Placement, OneRankHasAllCells) {
  const models::Network network = network_of({5, 0, 8});
  const AllHere here(network);
  EXPECT_EQ(here.cells_of(PopulationId(0)).size(), 5u);
  EXPECT_EQ(here.cells_of(PopulationId(1)).size(), 0u);
  EXPECT_EQ(here.cells_of(PopulationId(2)).size(), 8u);
  EXPECT_EQ(here.rank_of(PopulationId(2), 7), 0);
}

}  // namespace
}  // namespace hillock::network
