#pragma once
// One cell solved by contraction where only late nodes' diagonals change: early tasks have pivots
// that were computed once (early_pivots.hpp) and move right-hand sides alone. Launches nothing, and
// includes no header of any library, so that NVRTC compiles it.
//
// The inbox is numbers: one an early entry, which comes first, two a late one (PackedTask).
// A Cell says where a cell's values lie; Real is float or double:
//   Real diagonal(int node)                    of late tasks, without what early ones take off
//   Real& x(int node)                          the right-hand side in, the solution out
//   Real& inbox(int number)                    scratch that is 0 before the first solve
//   Real reciprocal(int task), factor_a(int task), factor_b(int task)   early tasks
//   Pair<Real> edges(int late), Real& edge(int slot)   late tasks: EarlyPivots::edges
//   Pair<Real>& factors(int late)              scratch

#include "solver/contraction/elimination.hpp"
#include "solver/team.hpp"

namespace hillock::solver::contraction {

/// What the schedule says of a task (schedule.hpp). give_a, give_b: of an early task the number of
/// the inbox that takes its right-hand side, of a late one the first of its entry's two numbers.
/// inbox: [begin, end) numbers. Counts of late tasks and of edges' slots begin with the first late
/// one.
struct alignas(16) PackedTask {
  short node, a, b, give_a, give_b, give_edge, inbox_begin, inbox_end;
};

/// The schedule where the code runs.
struct LateTables {
  const PackedTask* packed;
  const int* begin;  ///< [step] its first task, and one more
  int steps, early_steps, early_tasks;
  int wide_steps;  ///< those before have more tasks than `few` threads

  HILLOCK_SOLVER_FUNCTION PackedTask task(int t) const { return packed[t]; }
};

/// A team's functions are of the device alone where the team is.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define HILLOCK_SOLVER_LATE_TEAM _Pragma("nv_exec_check_disable")
#else
#define HILLOCK_SOLVER_LATE_TEAM
#endif

/// What a task's inbox comes to. Most have no more than two entries.
template <class Add>
HILLOCK_SOLVER_FUNCTION void for_entries(int begin, int end, int width, const Add& add) {
  if (begin < end) add(begin);
  if (begin + width < end) add(begin + width);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int i = begin + 2 * width; i < end; i += width) add(i);
}

/// An early task's numbers.
template <class Real>
struct Passing {
  Real reciprocal, factor_a, factor_b;
};

template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void pass_on(const PackedTask& task, const Passing<Real>& by, Cell& cell) {
  Real b = task.node >= 0 ? cell.x(task.node) : Real(0);
  for_entries(task.inbox_begin, task.inbox_end, 1, [&](int i) { b += cell.inbox(i); });
  if (task.node < 0) {
    cell.inbox(task.give_a) = b;
    return;
  }
  if (task.give_a >= 0) cell.inbox(task.give_a) = by.factor_a * b;
  if (task.give_b >= 0) cell.inbox(task.give_b) = by.factor_b * b;
  cell.x(task.node) = by.reciprocal * b;
}

/// late: the task's number among late ones.
template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void eliminate_late(const PackedTask& task, int late, Cell& cell) {
  Real d = 0, b = 0;
  if (task.node >= 0) {
    d = cell.diagonal(task.node);
    b = cell.x(task.node);
  }
  for_entries(task.inbox_begin, task.inbox_end, 2, [&](int i) {
    take<Real>({cell.inbox(i), cell.inbox(i + 1)}, d, b);
  });
  const auto give = [&](int number, const Pair<Real>& entry) {
    cell.inbox(number) = entry.x;
    cell.inbox(number + 1) = entry.y;
  };
  if (task.node < 0) {
    give(task.give_a, fold(d, b));
    return;
  }
  const Pivot<Real> pivot(cell.edges(late), d, b);
  if (task.give_a >= 0) give(task.give_a, pivot.to_a());
  if (task.give_b >= 0) give(task.give_b, pivot.to_b());
  if (task.give_edge >= 0) cell.edge(task.give_edge) = pivot.between();
  cell.factors(late) = pivot.factors();
  cell.x(task.node) = pivot.alone();
}

template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void substitute_late(const PackedTask& task, const Pair<Real>& factors,
                                             Cell& cell) {
  if (task.node < 0) return;
  Real x = cell.x(task.node);
  if (task.a >= 0) x = substitute<Real>(x, factors.x, cell.x(task.a));
  if (task.b >= 0) x = substitute<Real>(x, factors.y, cell.x(task.b));
  cell.x(task.node) = x;
}

/// Steps [first, last) upwards, each followed by a sync. What does not depend on other tasks of a
/// thread's first task of the next step is loaded before.
HILLOCK_SOLVER_LATE_TEAM
template <class Real, class Team, class Cell>
HILLOCK_SOLVER_FUNCTION void forward(const Team& team, const LateTables& tree, int first, int last,
                                     Cell& cell) {
  if (first >= last) return;
  const auto passing = [&](int t) {
    return Passing<Real>{cell.reciprocal(t), cell.factor_a(t), cell.factor_b(t)};
  };
  int t = tree.begin[first] + team.rank(), end = tree.begin[first + 1];
  const int all = tree.begin[tree.steps];
  PackedTask task = tree.task(t < all ? t : 0);
  Passing<Real> by{};
  if (t < tree.early_tasks) by = passing(t);
  for (int step = first; step < last; ++step) {
    const int next = end + team.rank();
    const int next_end = step + 1 < tree.steps ? tree.begin[step + 2] : end;
    const PackedTask next_task = tree.task(next < all ? next : 0);
    Passing<Real> next_by{};
    if (next < tree.early_tasks) next_by = passing(next);
    if (step < tree.early_steps) {
      if (t < end) pass_on<Real>(task, by, cell);
      for (t += team.size(); t < end; t += team.size())
        pass_on<Real>(tree.task(t), passing(t), cell);
    } else {
      if (t < end) eliminate_late<Real>(task, t - tree.early_tasks, cell);
      for (t += team.size(); t < end; t += team.size())
        eliminate_late<Real>(tree.task(t), t - tree.early_tasks, cell);
    }
    team.sync();
    t = next;
    end = next_end;
    task = next_task;
    by = next_by;
  }
}

/// Steps [first, last) downwards, each followed by a sync.
HILLOCK_SOLVER_LATE_TEAM
template <class Real, class Team, class Cell>
HILLOCK_SOLVER_FUNCTION void backward(const Team& team, const LateTables& tree, int first, int last,
                                      Cell& cell) {
  if (first >= last) return;
  const auto factors_of = [&](int t) {
    if (t < tree.early_tasks) return Pair<Real>{cell.factor_a(t), cell.factor_b(t)};
    return Pair<Real>{cell.factors(t - tree.early_tasks)};
  };
  int end = tree.begin[last], t = tree.begin[last - 1] + team.rank();
  const int tasks = tree.begin[tree.steps];
  const auto inside = [&](int number) { return number < tasks ? number : 0; };
  PackedTask task = tree.task(inside(t));
  Pair<Real> factors = factors_of(inside(t));
  for (int step = last; step-- > first;) {
    const int begin = tree.begin[step];
    const int next = (step > 0 ? tree.begin[step - 1] : 0) + team.rank();
    const PackedTask next_task = tree.task(inside(next));
    const Pair<Real> next_factors = factors_of(inside(next));
    if (t < end) substitute_late<Real>(task, factors, cell);
    for (t += team.size(); t < end; t += team.size())
      substitute_late<Real>(tree.task(t), factors_of(t), cell);
    team.sync();
    t = next;
    end = begin;
    task = next_task;
    factors = next_factors;
  }
}

/// Solves one cell in place; everyone in the team calls it. few: the first threads of the team,
/// whose sync() is cheaper; they alone work on the steps after wide_steps. A pivot of 0 gives
/// values that are not finite. The same bits for every size of team. Ends with a sync.
HILLOCK_SOLVER_LATE_TEAM
template <class Real, class Team, class Few, class Cell>
HILLOCK_SOLVER_FUNCTION void solve_late(const Team& team, const Few& few, const LateTables& tree,
                                        Cell& cell) {
  forward<Real>(team, tree, 0, tree.wide_steps, cell);
  if (team.rank() < few.size()) {
    forward<Real>(few, tree, tree.wide_steps, tree.steps, cell);
    backward<Real>(few, tree, tree.wide_steps, tree.steps, cell);
  }
  team.sync();
  backward<Real>(team, tree, 0, tree.wide_steps, cell);
}

}  // namespace hillock::solver::contraction
