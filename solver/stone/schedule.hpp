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

enum class BackSubstitution {
  segment,  ///< recursive doubling along each root path, one thread a segment: log2(depth) rounds
  branch,   ///< one thread a branch, level after level
};

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

/// Values in row order. The traces of a cell are stimuli that share its couplings and have
/// diagonals and right-hand sides of their own; each is a system of the batch, a cell's one after
/// another.
template <class T>
struct StoneValues {
  std::vector<T> diagonal;  ///< [n_cells][n_traces][n]
  std::vector<T> coupling;  ///< [n_cells][n] to the parent; a root's is 0
  std::vector<T> rhs;       ///< [n_cells][n_traces][n]
};

/// Throws InvalidBatch unless all systems have one tree and whole cells of `traces` traces.
void check_traces(const Forest& forest, int traces);

/// Into row order and back: the conversions that a simulation does once, or never. A cell's
/// couplings are those of its first trace; the others' are not read. Both throw InvalidBatch when
/// sizes do not fit.
template <class T>
StoneValues<T> arrange(const Forest& forest, const StoneSchedule& schedule,
                       const BatchValues<T>& values, int traces = 1);
template <class T>
std::vector<T> gather(const Forest& forest, const StoneSchedule& schedule,
                      std::span<const T> solution);

/// Solves arranged values exactly as the kernel does with `team` threads a trace; the solution is
/// in row order, [n_cells][n_traces][n]. Same bits for every team.
///
/// Error. Upward it is Hines elimination. Downward x = y + f·x[parent] is unrolled: after round r
/// a row holds y_r = Σ over its 2^r nearest of itself and its ancestors of (Π f)·y, and
/// f_r = Π f. A round is one product and one fused sum, so the error it adds to y_r is at most
/// 2·eps·Σ|Π f·y|; the relative errors of the factors, r·eps after r rounds, add as much again.
/// With 0 <= f < 1 the sum of absolute values is at most X, the solution of the same matrix for
/// |rhs|, hence |x - x_hines| <= 4·rounds·eps·max X. Since X <= max|rhs| for a diagonal of at least
/// 1 + couplings, this is far below 8·eps·(1 + kappa)·max|x| but where the solution cancels.
template <class T>
std::vector<T> solve_on_host(const StoneSchedule& schedule, BackSubstitution back,
                             const StoneValues<T>& arranged, int team = 32);

/// The paper's fork: a stem and two equal tines, `segments` in all (at least 3, else UsageError).
std::vector<int> make_fork(int segments);
/// The paper's binary tree: 2^depth compartments, a root over a complete tree of depth levels, 0 to
/// 24, else UsageError.
std::vector<int> make_binary_tree(int depth);

}  // namespace hillock::solver
