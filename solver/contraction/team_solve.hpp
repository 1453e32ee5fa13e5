#pragma once
// One cell solved by contraction, by a team of threads, wherever its values lie: the host executor,
// the kernel in device memory and any other kernel call this. Launches nothing, and includes no
// header of any library, so that NVRTC compiles it. The tuned kernel that keeps tasks in registers
// (register_kernel.cuh) shares elimination.hpp with it.
//
// A Cell says where a cell's values lie; Real is float or double:
//   Real diagonal(int node), Real coupling(int node)   the matrix; coupling to the node's parent
//   Real& x(int node)                                  the right-hand side in, the solution out
//   Pair<Real>& inbox(int entry)                       scratch: [entries]
//   Pair<Real>& edges(int task), Real& edge(int slot)  scratch: [tasks]; slots 2t and 2t+1 are x
//                                                      and y of edges(t)
//   Pair<Real>& factors(int task)                      scratch: [tasks]; may be edges(task) where
//                                                      couplings are placed before every solve

#include "solver/contraction/elimination.hpp"
#include "solver/team.hpp"

namespace hillock::solver::contraction {

/// A schedule's tables where the code runs; schedule.hpp says what each holds.
struct Tables {
  const int *step_start, *node, *a, *b, *give_a, *give_b, *give_edge, *inbox_start, *coupling_of;
  int tasks = 0, steps = 0, entries = 0;
};

/// The matrix's couplings into their slots: before the first solve, and before every one where
/// factors lie on edges. Ends with a sync.
HILLOCK_SOLVER_ANY_TEAM
template <class Team, class Cell>
HILLOCK_SOLVER_FUNCTION void place_couplings(const Team& team, const Tables& tree, Cell& cell) {
  for (int slot = team.rank(); slot < 2 * tree.tasks; slot += team.size()) {
    const int node = tree.coupling_of[slot];
    cell.edge(slot) = node < 0 ? 0 : cell.coupling(node);
  }
  team.sync();
}

template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void eliminate(const Tables& tree, int task, Cell& cell) {
  const int node = tree.node[task], give_a = tree.give_a[task];
  Real d = 0, b = 0;
  if (node >= 0) {
    d = cell.diagonal(node);
    b = cell.x(node);
  }
  for (int i = tree.inbox_start[task]; i < tree.inbox_start[task + 1]; ++i)
    take(cell.inbox(i), d, b);
  if (node < 0) {
    cell.inbox(give_a) = fold(d, b);
    return;
  }
  const int give_b = tree.give_b[task], give_edge = tree.give_edge[task];
  const Pivot<Real> pivot(cell.edges(task), d, b);
  if (give_a >= 0) cell.inbox(give_a) = pivot.to_a();
  if (give_b >= 0) cell.inbox(give_b) = pivot.to_b();
  if (give_edge >= 0) cell.edge(give_edge) = pivot.between();
  cell.factors(task) = pivot.factors();
  cell.x(node) = pivot.alone();
}

template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void substitute_back(const Tables& tree, int task, Cell& cell) {
  const int node = tree.node[task], a = tree.a[task], b = tree.b[task];
  if (node < 0) return;
  const Pair<Real> factors = cell.factors(task);
  Real x = cell.x(node);
  if (a >= 0) x = substitute<Real>(x, factors.x, cell.x(a));
  if (b >= 0) x = substitute<Real>(x, factors.y, cell.x(b));
  cell.x(node) = x;
}

/// Solves one cell in place; everyone in the team calls it, after place_couplings(). A pivot of 0
/// gives values that are not finite. The same bits for every size of team. Syncs twice a step; ends
/// with a sync.
HILLOCK_SOLVER_ANY_TEAM
template <class Real, class Team, class Cell>
HILLOCK_SOLVER_FUNCTION void solve(const Team& team, const Tables& tree, Cell& cell) {
  for (int step = 0; step < tree.steps; ++step) {
    const int end = tree.step_start[step + 1];
    for (int t = tree.step_start[step] + team.rank(); t < end; t += team.size())
      eliminate<Real>(tree, t, cell);
    team.sync();
  }
  for (int step = tree.steps; step-- > 0;) {
    const int end = tree.step_start[step + 1];
    for (int t = tree.step_start[step] + team.rank(); t < end; t += team.size())
      substitute_back<Real>(tree, t, cell);
    team.sync();
  }
}

}  // namespace hillock::solver::contraction
