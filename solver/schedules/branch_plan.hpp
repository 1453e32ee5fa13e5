#pragma once
// The plan of the fine-grained Hines solver: one thread a branch, level by level. Plain data; every
// executor reads it. Knows no values and no CUDA.
//
// Sources: F. Huber, "Efficient tree solver for Hines matrices on the GPU" (levels, greedy packing,
// sorting, interleaving, re-rooting, cutting at the level's mean; sinking subtrees is its outlook);
// the branch-based method of Ben-Shalom et al. 2013 is the same without packing and balancing.

#include <cstddef>
#include <vector>

#include "solver/batch.hpp"

namespace hillock::solver {

/// Which long branches are cut in two, so that a level's threads have equal work.
enum class BranchCutting {
  none,
  level_mean,  ///< Huber's rule: on each level, what is longer than the level's mean over all cells
  local,  ///< each tree for itself: each level is cut where the cut plus the estimated longest path
          ///< below, levels counted at their cost, is shortest
};

enum class BranchRoot {
  given,
  centre,  ///< re-rooted to the middle of the tree's longest path
};

/// Which warps of a block meet between levels. The results are the same bits.
enum class BranchBarriers {
  needed,  ///< those with work on either level
  all,     ///< all; for tools that cannot follow barriers of a part of a block (racecheck)
};

struct BranchOptions {
  BranchRoot root = BranchRoot::given;
  BranchCutting cutting = BranchCutting::none;
  bool sink_subtrees = false;  ///< a subtree may move down a level to make a cell fit a block
  int threads = 128;           ///< of a block: the width to which levels are packed
  int most_cells = 1 << 30;    ///< in one block
  std::size_t most_values = std::size_t{1} << 40;  ///< storage of one block, padding included
  BranchBarriers barriers = BranchBarriers::needed;
  double level_cost = 8;  ///< of local cutting: a level's fixed cost in compartments
};

/// The work and layout of one block of threads; blocks with the same cells share a pattern.
///
/// Values of a level's branches are interleaved: compartment k (0 nearest the root) of branch j
/// lies at level_offset + k·width + j, width the level's number of branches, so threads next to
/// each other read slots next to each other:
///     level of 3 branches with 3, 2, 1 compartments:  a0 b0 c0 | a1 b1 -- | a2 -- --
struct BranchPattern {
  std::vector<int> trees;         ///< of its cells, in order
  std::vector<int> level_start;   ///< [levels+1] first branch of each level, the root's level first
  std::vector<int> level_offset;  ///< [levels] storage of each level
  std::vector<int> length;        ///< [branch] compartments
  std::vector<int> parent_slot;  ///< [branch] storage of the compartment it hangs on, -1 for a root
  std::vector<int> give;         ///< [branch] entry of the inbox that takes its sum, -1 for a root
  std::vector<int> inbox_start;  ///< [branches+1] entries that branches below it give
  std::vector<int> slot;         ///< [node of the block's cells, cell after cell] its storage
  /// [slot] the node (numbered as in `slot`) whose given coupling joins this compartment to the
  /// one above it; -1 for a root and for padding. With a moved root that may be the one above.
  std::vector<int> coupling_of;
  int storage = 0;  ///< values, padding included

  int levels() const { return static_cast<int>(level_offset.size()); }
  int branches() const { return static_cast<int>(length.size()); }
  /// Compartments that the longest thread of each level works on, added up.
  int critical_path() const;
};

struct BranchPlan {
  BranchOptions options;
  std::vector<BranchPattern> patterns;
  std::vector<int> pattern_of;          ///< [block]
  std::vector<std::size_t> first_node;  ///< [blocks+1] in the batch's values, cell after cell
  std::vector<std::size_t> first_slot;  ///< [blocks+1] in the solver's layout

  std::size_t blocks() const { return pattern_of.size(); }
  std::size_t value_count() const { return first_node.back(); }
  std::size_t storage() const { return first_slot.back(); }
};

/// Plans a batch; systems keep their order.
/// A tree with a level wider than options.threads gets a block of its own, whose threads take
/// several branches; one with more than options.most_values too.
/// Throws UsageError when an option is out of range.
BranchPlan make_branch_plan(const Forest& forest, const BranchOptions& options);

}  // namespace hillock::solver
