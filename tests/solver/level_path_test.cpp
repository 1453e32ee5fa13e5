// Cells of random trees put together from a path through the levels, and their shapes.

#include "solver/cable/level_path.hpp"

#include <gtest/gtest.h>

#include "solver/cable/ordered_tree.hpp"

namespace hillock::solver {
namespace {

models::RandomTree random_tree_of_depth(int depth) {
  models::RandomTree tree;
  tree.depth = depth;
  tree.branch_probability = {0.9, 0.5};
  tree.compartments = {7, 2};
  tree.length_um = {130, 17};
  return tree;
}

models::CableCell with_ranges(const models::RandomTree& tree) {
  models::CableCell cell;
  cell.morphology = tree;
  models::RegionSettings far, soma;
  far.region.name = "dend";
  far.region.distance_um = {80, 200};
  far.Ra_ohm_cm = models::Value(150.0);
  soma.region.name = "soma";
  soma.cm_uF_per_cm2 = models::Value(2.0);
  cell.regions = {far, soma};
  return cell;
}

std::shared_ptr<const std::vector<BranchName>> names(std::size_t count) {
  std::vector<BranchName> all;
  for (std::size_t b = 0; b < count; ++b)
    all.push_back({models::name_in_tree(b), b == 0 ? "soma" : "dend"});
  return std::make_shared<const std::vector<BranchName>>(std::move(all));
}

void expect_same(const Template& a, const Template& b) {
  ASSERT_EQ(a.parent, b.parent);
  ASSERT_EQ(a.branches.size(), b.branches.size());
  for (std::size_t i = 0; i < a.branches.size(); ++i) {
    EXPECT_EQ(a.name_of(i).name, b.name_of(i).name);
    EXPECT_EQ(a.name_of(i).region, b.name_of(i).region);
    EXPECT_EQ(a.branches[i], b.branches[i]) << i;
  }
  for (std::size_t n = 0; n < a.node_count(); ++n) {
    EXPECT_EQ(a.coupling_uS(n), b.coupling_uS(n));
    EXPECT_EQ(a.area_um2(n), b.area_um2(n));
    EXPECT_EQ(a.diameter_um(n), b.diameter_um(n));
    EXPECT_EQ(a.capacitance_nF(n), b.capacitance_nF(n));
    EXPECT_EQ(a.location(n), b.location(n)) << n;
    const NodeId node(static_cast<int>(n));
    EXPECT_EQ(a.describe(node), b.describe(node));
  }
}

TEST(LevelPath, ComposedCellsAreTheDiscretisedOnes) {
  for (const int depth : {0, 1, 5}) {
    const models::RandomTree tree = random_tree_of_depth(depth);
    const models::CableCell cell = with_ranges(tree);
    const Template path = discretise(models::grow(tree, level_path(depth - 1)), cell);
    EXPECT_EQ(path.branches.size(), static_cast<std::size_t>(depth) + 1);
    for (std::uint64_t id = 0; id < 20; ++id) {
      const models::TreeOutline outline = models::outline_of(tree, 3, CellId(id));
      expect_same(compose(path, outline, names(outline.size() + 3)),
                  discretise(models::grow(tree, outline), cell));
    }
  }
}

TEST(LevelPath, AnOutlineIsTheTreeThatGrows) {
  const models::RandomTree tree = random_tree_of_depth(4);
  const models::TreeOutline outline = models::outline_of(tree, 1, CellId(2));
  const models::Morphology grown = models::grow(tree, 1, CellId(2));
  ASSERT_EQ(outline.size(), grown.branches.size());
  for (std::size_t b = 0; b < outline.size(); ++b) {
    EXPECT_EQ(outline.parent[b], grown.branches[b].parent);
    EXPECT_EQ(models::compartments_at(tree, outline.level[b]), grown.branches[b].compartments);
  }
}

/// Sizes of subtrees at the root and below each fork, level by level.
std::vector<int> sizes_of(const Template& cell) {
  const OrderedTree tree(cell);
  std::vector<int> sizes, nodes{tree.root};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    int node = nodes[i];
    while (tree.children_of(node).size() == 1) node = tree.children_of(node).front();
    sizes.push_back(tree.size[static_cast<std::size_t>(nodes[i])]);
    for (const int child : tree.children_of(node)) nodes.push_back(child);
  }
  return sizes;
}

TEST(CellShape, TellsTheSizesOfTheDiscretisedTree) {
  for (const int depth : {0, 1, 3, 6})
    for (std::uint64_t id = 0; id < 30; ++id) {
      const models::RandomTree tree = random_tree_of_depth(depth);
      const models::TreeOutline outline = models::outline_of(tree, 5, CellId(id));
      const Template cell = discretise(models::grow(tree, outline), with_ranges(tree));
      const CellShape shape = shape_of(tree, outline);
      EXPECT_EQ(shape.sizes, sizes_of(cell)) << id;
      EXPECT_EQ(shape.compartments, cell.compartment_count());
    }
}

}  // namespace
}  // namespace hillock::solver
