#pragma once
// What the cost model needs to know of a tree, from the schedules of every family. Plain data.

#include <cstddef>
#include <span>

#include "solver/schedules/branch_plan.hpp"

namespace hillock::solver {

/// A block of the branch solver's plan.
struct BranchWork {
  int cells = 1;  ///< in the block
  int levels = 0;
  int path = 0;     ///< compartments on the critical path
  int storage = 0;  ///< values, padding included
  int branches = 0;
  int threads = 0;  ///< as many as the widest level has branches
};

struct TreeFeatures {
  int compartments = 0;
  int depth = 0;            ///< edges from the root to the deepest compartment
  bool unbranched = false;  ///< parent[i] = i-1: a tridiagonal system
  int contraction_steps = 0;
  int contraction_tasks = 0;  ///< compartments and folds
  /// The branch solver's options where cells are few: a cell a block, cut as costs it least; and
  /// where they are many: a block is a warp, and holds as many cells as are that wide.
  BranchOptions branch_few, branch_many;
  BranchWork few, many;  ///< their blocks
  int branches = 0;      ///< maximal runs of compartments without forks
  int stone_rounds = 0;
  int stone_levels = 0;
  int stone_path = 0;      ///< compartments of the longest branch of each level, added up
  int stone_children = 0;  ///< children of the branch with most on each level, added up
};

/// parent: [n], parent[0] = -1, a parent precedes its children; n >= 1, else InvalidTree.
/// Cost: the schedules of all families, O(n log n) for most trees.
TreeFeatures features_of(std::span<const int> parent);

}  // namespace hillock::solver
