#pragma once
// The contraction (rake and compress) schedule of one tree, as plain data. Every executor, on the
// host and on a GPU, reads the same schedule. Knows no values and no CUDA.

#include <cstdint>
#include <span>
#include <vector>

namespace hillock::solver {

/// In which order the nodes of a tree are eliminated, and what each elimination gives to whom.
///
/// A task eliminates one node with at most two neighbours a and b, or folds: it adds up to
/// `fold_limit` contributions to one node into one. The tasks of a step touch nothing that another
/// task of the step touches, so a step is parallel; steps follow one another with one barrier.
///
///   forward, steps upwards, for each task t:
///     for every entry of t's inbox, in order:  d -= entry.d;  b += entry.b
///     q = 1/d;  e0, e1 = edge slots 2t, 2t+1
///     inbox[give_a] = (e0²q, e0·q·b);  inbox[give_b] = (e1²q, e1·q·b);  edge[give_edge] = e0·q·e1
///   back, steps downwards:  v[node] = b·q + e0·q·v[a] + e1·q·v[b]
///
/// Every inbox entry and edge slot has one producer, so nothing is reset between solves; the order
/// of every sum is the schedule's, so results do not depend on who runs which task when.
///
/// Tasks of the steps before `early_steps` have pivots that depend on no late node: where only late
/// nodes' diagonals change, they are eliminated once and pass on right-hand sides alone.
struct ContractionSchedule {
  int node_count = 0;
  int rounds = 0;                ///< of eliminations; O(log n)
  int early_steps = 0;           ///< steps that come before every late node
  int entry_count = 0;           ///< of the inbox
  std::vector<int> step_start;   ///< [steps+1] first task of each step; steps >= rounds if folding
  std::vector<int> node;         ///< [task] the node it eliminates; -1 for a fold
  std::vector<int> a, b;         ///< [task] neighbours when eliminated, -1 for none
  std::vector<int> give_a;       ///< [task] inbox entry of its contribution to a (or of its fold)
  std::vector<int> give_b;       ///< [task] the same for b; -1 for none
  std::vector<int> give_edge;    ///< [task] slot that takes the new coupling (a,b); -1 for none
  std::vector<int> inbox_start;  ///< [tasks+1] a task's own entries
  std::vector<int> arrival;      ///< [entry] first step at which it can be read, ascending a task
  /// [2·task + side] the node whose given coupling to its parent this slot holds; -1 when an
  /// elimination produces it or there is no such neighbour (the slot is then 0).
  std::vector<int> coupling_of;

  int task_count() const { return static_cast<int>(node.size()); }
  int steps() const { return static_cast<int>(step_start.size()) - 1; }
};

/// At most so many contributions reach a task in one step; more are folded first.
inline constexpr int fold_limit = 8;

/// Makes the schedule of a tree: rounds of independent nodes of degree <= 2, deepest first; late
/// nodes when no other can go.
/// parent: [n], parent[0] = -1, a parent precedes its children; n >= 1.   is_late: [n], or empty:
/// all are. Throws InvalidTree where this does not hold.
/// Cost O(n·rounds). Deterministic. Source: rake and compress, Miller and Reif 1985; on a cable it
/// is cyclic reduction, Hockney 1965.
ContractionSchedule make_contraction_schedule(std::span<const int> parent,
                                              std::span<const char> is_late = {});

}  // namespace hillock::solver
