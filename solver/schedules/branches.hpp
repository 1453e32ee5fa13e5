#pragma once
// A tree as branches, and what the fine-grained solver does to them before packing: re-rooting,
// cutting. Only solver/branch includes this.

#include <span>
#include <vector>

#include "solver/schedules/branch_plan.hpp"

namespace hillock::solver::branch {

struct Branch {
  std::vector<int> nodes;  ///< from the one nearest the root on
  int parent = -1;         ///< branch whose last node it hangs on
  int level = 0;           ///< of its parent, plus one
};

/// Branches in the order of their levels, a parent before its children.
struct BranchTree {
  std::vector<Branch> branches;
  std::vector<int> above;        ///< [node] the node next nearer the root, -1 for the root
  std::vector<int> coupling_of;  ///< [node] the given node whose coupling joins it to `above`
};

/// parent: a tree of a Forest.
BranchTree to_branches(std::span<const int> parent, BranchRoot root);

/// Cuts all trees by Huber's rule; cells[t]: how many cells have tree t.
void cut_at_level_mean(std::vector<BranchTree>& trees, std::span<const std::size_t> cells);

/// Cuts one tree level by level where the estimated time is shortest.
void cut_locally(BranchTree& tree, double level_cost);

}  // namespace hillock::solver::branch
