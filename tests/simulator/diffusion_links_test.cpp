// Which compartments pass on a state that spreads along the cable, and how far apart they are.

#include "simulator/plan/cells/diffusion_links.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/simulator/networks.hpp"

namespace hillock::simulator {
namespace {

/// Nodes: soma 0 | 1 | 2, dend[0] of three compartments 3 4 5 | 6, dend[1] at its end 7 8 | 9, and
/// dend[2] at the root's 0 end, 10 | 11.
solver::Template forked() {
  auto branches = std::vector{cylinder("soma", -1, 20, 20, 1), cylinder("dend[0]", 0, 30, 2, 3),
                              cylinder("dend[1]", 1, 80, 2, 2), cylinder("dend[2]", 0, 50, 2, 1)};
  branches[3].at = 0;
  return solver::discretise(models::Morphology{branches}, models::CableCell{});
}

void expect_joined(const solver::DiffusionLink& link, int parent, double own_um, double its_um) {
  EXPECT_EQ(link.parent, parent) << link.instance;
  EXPECT_NEAR(link.here, 2 / (own_um * (own_um + its_um)), 1e-15) << link.instance;
  EXPECT_NEAR(link.at_parent, 2 / (its_um * (own_um + its_um)), 1e-15) << link.instance;
}

TEST(DiffusionLinks, JoinCompartmentsOverTheirLengths) {
  const std::vector<int> nodes{1, 3, 4, 5, 7, 8, 10};
  const auto links = diffusion_links(forked(), nodes);
  ASSERT_EQ(links.size(), nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    EXPECT_EQ(links[k].instance, static_cast<int>(k));
    EXPECT_EQ(links[k].row, nodes[k]);
  }
  EXPECT_EQ(links[0].parent, -1);
  expect_joined(links[1], 0, 10, 20);
  expect_joined(links[2], 1, 10, 10);
  expect_joined(links[3], 2, 10, 10);
  expect_joined(links[4], 3, 40, 10);
  expect_joined(links[5], 4, 40, 40);
  expect_joined(links[6], 0, 50, 20);  // at the root's 0 end
}

TEST(DiffusionLinks, JoinNothingAcrossACompartmentWithoutTheMechanism) {
  const auto links = diffusion_links(forked(), std::vector<int>{1, 4, 5});
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].parent, -1);
  EXPECT_EQ(links[1].parent, -1);
  expect_joined(links[2], 1, 10, 10);
  EXPECT_TRUE(diffusion_links(forked(), std::vector<int>{1, 4, 7}).empty());
}

}  // namespace
}  // namespace hillock::simulator
