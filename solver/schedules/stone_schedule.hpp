#pragma once
// NeuroGPU's two ways of solving many traces of one cell: branches in parallel upwards, then down
// either by Stone's recursive doubling (segment-based) or branch after branch (branch-based).
// Plain data and a host executor; kernels are in stone_device.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/batch.hpp"

namespace hillock::solver {

/// One tree's tables. Rows are compartments by distance from the root, so that what a round of the
/// doubling still works on is a tail of the rows, and ancestors lie before it.
struct StoneSchedule {
  int n = 0;                       ///< compartments
  std::vector<int> node_of_row;    ///< [n] the tree's own numbers
  std::vector<int> parent_of_row;  ///< [n] rows; -1 for row 0

  std::vector<int> level_first;   ///< [n_levels + 1] branches; level 0 is the root's branch
  std::vector<int> branch_first;  ///< [n_branches + 1] into branch_rows
  std::vector<int> branch_rows;   ///< [n] rows of each branch from top to bottom
  std::vector<int> child_first;   ///< [n_branches + 1]; children of branch b are the branches
                                  ///< child_first[b] … child_first[b+1]-1

  int rounds = 0;                           ///< ceil(log2(depth + 1)), depth counted in edges
  std::vector<int> active_first;            ///< [rounds] first row at least 2^round below the root
  std::vector<std::size_t> ancestor_first;  ///< [rounds + 1] into ancestor
  std::vector<int> ancestor;  ///< of round r and row active_first[r] + k: 2^r edges up

  int n_levels() const { return static_cast<int>(level_first.size()) - 1; }
  int n_branches() const { return static_cast<int>(branch_first.size()) - 1; }
};

/// parent: [n] with parent[0] = -1 and every parent before its children. O(n log depth).
/// Throws InvalidTree. Source: Ben-Shalom, Liberman, Korngreen 2013, segment-based
/// parallelization.
StoneSchedule make_stone_schedule(std::span<const int> parent);

}  // namespace hillock::solver
