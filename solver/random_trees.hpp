#pragma once
// Random trees and random systems on them, for tests and benchmarks. Every draw is keyed
// (core/random/random.hpp), so a tree depends on its arguments alone. Not here: real morphologies.

#include <cstdint>
#include <vector>

namespace hillock::solver {

/// One symmetric system on a tree:
///   diagonal[i]·x[i] - coupling[i]·x[parent[i]] - Σ_children coupling[c]·x[c] = rhs[i].
struct TreeSystem {
  std::vector<int> parent;       ///< [n], -1 for node 0; a parent precedes its children
  std::vector<double> coupling;  ///< [n] to the parent; [0] is 0
  std::vector<double> diagonal;  ///< [n]
  std::vector<double> rhs;       ///< [n]
};

/// parent[i] = i-1: an unbranched cable.
std::vector<int> cable_tree(int compartments);

/// Node 0 with `branches` cables of `length` compartments each.
std::vector<int> star_tree(int branches, int length);

/// Each node hangs on the one before it with probability `chain`, else on any earlier node.
std::vector<int> attachment_tree(int compartments, double chain, std::uint64_t seed);

/// A tree of exactly `compartments` nodes whose deepest node lies exactly `depth` edges below the
/// root: one path of that depth, then branches of 1 to 2·branch_length nodes hung at random places
/// where the depth allows. Throws UsageError unless 0 <= depth < compartments.
std::vector<int> tree_of_depth(int compartments, int depth, int branch_length, std::uint64_t seed);

/// The trees of Huber's benchmark: `levels` levels of branches; a branch splits in two with
/// probability `split`, else goes on as one; lengths shrink by `shrink` a level.
struct BranchingTree {
  int levels = 10;
  double split = 0.5;
  int length = 10;  ///< compartments of the first branch; a branch's own is drawn in ±50 %
  double shrink = 0.9;
};
std::vector<int> branching_tree(const BranchingTree& shape, std::uint64_t seed,
                                std::uint64_t index);

/// Depth of every node: 0 for the root.
std::vector<int> depths_of(const std::vector<int>& parent);

/// What the diagonal holds besides the couplings.
enum class Excess {
  drawn,  ///< uniform in 1 … 2
  one,    ///< exactly 1, so that solving again and again with the solution as right-hand side
          ///< keeps the values in range
};

/// Couplings uniform in ratio·(0.5 … 1.5), normal right-hand side.
TreeSystem random_system(const std::vector<int>& parent, double ratio, std::uint64_t seed,
                         Excess excess = Excess::drawn);

}  // namespace hillock::solver
