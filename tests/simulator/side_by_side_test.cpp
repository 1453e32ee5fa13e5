// How many cells lie side by side on the CPU, and how many threads share the rows of one.

#include <gtest/gtest.h>

#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

/// Cells of one drawn tree each, of that depth; channels everywhere, or nowhere.
models::Network trees(std::uint64_t size, int depth, bool have_channels) {
  models::Network network = passive_network(size);
  models::RandomTree tree;
  tree.depth = depth;
  tree.branch_probability = {1, 0.7};
  tree.compartments = {40, 10};
  models::CableCell cell;
  cell.morphology = tree;
  cell.regions.push_back(passive(1e-3, -65));
  if (have_channels)
    for (const char* name : {"hh", "kdr", "km"})
      cell.regions.back().mechanisms.push_back({name, {}, {}});
  network.cells[0].kind = cell;
  return network;
}

SideBySideReport of(const models::Network& network, int threads, int asked = 0) {
  SimulationOptions options;
  options.threads = threads;
  options.side_by_side = asked;
  const Simulation simulation(network, options);
  EXPECT_EQ(simulation.counts().side_by_side.size(), 1u);
  return simulation.counts().side_by_side.at(0);
}

TEST(SideBySide, SmallCellsFillRegisters) {
  const SideBySideReport small = of(trees(64, 1, false), 1);
  EXPECT_EQ(small.cells, 8);
  EXPECT_EQ(small.shared_by, 1u);
  ASSERT_EQ(small.expected_us.size(), 3u);
  for (const auto& [cells, us] : small.expected_us) EXPECT_GT(us, 0) << cells;
}

TEST(SideBySide, LargeCellsLieAloneAndAreSharedWhereThereAreFew) {
  const models::Network few = trees(2, 7, true);
  EXPECT_EQ(of(few, 4).cells, 1);
  EXPECT_EQ(of(few, 4).shared_by, 4u);
  EXPECT_EQ(of(few, 1).shared_by, 1u);
  EXPECT_EQ(of(trees(16, 7, true), 4).shared_by, 1u);
  EXPECT_EQ(of(trees(2, 1, true), 4).shared_by, 1u) << "small cells are not worth it";
}

TEST(SideBySide, TheNumberThatIsAskedForIsTaken) {
  for (const int asked : {1, 4, 8}) EXPECT_EQ(of(trees(9, 3, true), 2, asked).cells, asked);
}

}  // namespace
}  // namespace hillock::simulator
