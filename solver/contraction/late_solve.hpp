#pragma once
// One cell solved by contraction where only late nodes' diagonals change: early tasks have pivots
// that were computed once (early_pivots.hpp) and move right-hand sides alone. Launches nothing, and
// includes no header of any library, so that NVRTC compiles it.
//
// Values lie in the order of tasks, so that threads next to each other work on numbers next to each
// other: "x(t)" is that of the node that task t eliminates. A task has room for own_entries
// entries, one number each of an early task, two of a late one; more lie behind those of all tasks.
// A Cell says where a cell's values lie; Real is float or double:
//   Real diagonal(int task)                    of late tasks, without what early ones take off
//   Real& x(int task)                          the right-hand side in, the solution out
//   Real& inbox(int number)                    scratch that is 0 before the first solve
//   Real reciprocal(int task), factor_a(int task), factor_b(int task)   early tasks
//   Pair<Real> edges(int late), Real& edge(int slot)   late tasks: EarlyPivots::edges
//   Pair<Real>& factors(int late)              scratch

#include "solver/contraction/elimination.hpp"
#include "solver/team.hpp"

namespace hillock::solver::contraction {

/// Entries of a task that have a place of their own.
inline constexpr int own_entries = 2;

/// What the schedule says of a task (schedule.hpp). a, b: tasks; its own number where there is no
/// such neighbour, and the factor is 0.   give_a, give_b: of an early task the number of the inbox
/// that takes its right-hand side, of a late one the first of its entry's two.   extra: [begin,
/// end) numbers of further entries.
struct alignas(16) PackedTask {
  unsigned short a, b, give_a, give_b, give_edge, extra_begin, extra_end, unused;
};
/// Of what goes nowhere.
inline constexpr unsigned short nowhere = 0xffff;

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

/// An early task's numbers.
template <class Real>
struct Passing {
  Real reciprocal, factor_a, factor_b;
};

template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void pass_on(const PackedTask& task, int number, const Passing<Real>& by,
                                     Cell& cell) {
  Real b = cell.x(number);
  b += cell.inbox(own_entries * number);
  b += cell.inbox(own_entries * number + 1);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int i = task.extra_begin; i < task.extra_end; ++i) b += cell.inbox(i);
  if (task.give_a != nowhere) cell.inbox(task.give_a) = by.factor_a * b;
  if (task.give_b != nowhere) cell.inbox(task.give_b) = by.factor_b * b;
  cell.x(number) = by.reciprocal * b;
}

/// early: how many tasks are.
template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void eliminate_late(const PackedTask& task, int number, int early,
                                            Cell& cell) {
  const int late = number - early, own = own_entries * (number + late);
  Real d = cell.diagonal(number), b = cell.x(number);
  take<Real>({cell.inbox(own), cell.inbox(own + 1)}, d, b);
  take<Real>({cell.inbox(own + 2), cell.inbox(own + 3)}, d, b);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int i = task.extra_begin; i < task.extra_end; i += 2)
    take<Real>({cell.inbox(i), cell.inbox(i + 1)}, d, b);
  const auto give = [&](int to, const Pair<Real>& entry) {
    if (to == nowhere) return;
    cell.inbox(to) = entry.x;
    cell.inbox(to + 1) = entry.y;
  };
  const Pivot<Real> pivot(cell.edges(late), d, b);
  give(task.give_a, pivot.to_a());
  give(task.give_b, pivot.to_b());
  if (task.give_edge != nowhere) cell.edge(task.give_edge) = pivot.between();
  cell.factors(late) = pivot.factors();
  cell.x(number) = pivot.alone();
}

template <class Real, class Cell>
HILLOCK_SOLVER_FUNCTION void substitute_late(const PackedTask& task, int number,
                                             const Pair<Real>& factors, Cell& cell) {
  const Real x = substitute<Real>(cell.x(number), factors.x, cell.x(task.a));
  cell.x(number) = substitute<Real>(x, factors.y, cell.x(task.b));
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
      if (t < end) pass_on<Real>(task, t, by, cell);
      for (t += team.size(); t < end; t += team.size())
        pass_on<Real>(tree.task(t), t, passing(t), cell);
    } else {
      if (t < end) eliminate_late<Real>(task, t, tree.early_tasks, cell);
      for (t += team.size(); t < end; t += team.size())
        eliminate_late<Real>(tree.task(t), t, tree.early_tasks, cell);
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
    if (t < end) substitute_late<Real>(task, t, factors, cell);
    for (t += team.size(); t < end; t += team.size())
      substitute_late<Real>(tree.task(t), t, factors_of(t), cell);
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
