#pragma once
// One cell solved by contraction where only late nodes' diagonals change: early tasks have pivots
// that were computed once (early_pivots.hpp) and move right-hand sides alone. Launches nothing, and
// includes no header of any library, so that NVRTC compiles it.
//
// Values lie in the order of tasks, so that threads next to each other work on numbers next to each
// other: "x(t)" is that of the node that task t eliminates. A task has room for own_entries
// entries, one number each of an early task, two of a late one; more lie behind those of all tasks.
// A thread keeps what never changes of its tasks, in registers where their number is known.
// A Cell says where a cell's values lie; Real is float or double:
//   Real diagonal(int task)                    of late tasks, without what early ones take off
//   Real& x(int task)                          the right-hand side in, the solution out
//   Real& inbox(int number)                    scratch that is 0 before the first solve
//   Real reciprocal(int task), factor_a(int task), factor_b(int task)   early tasks
//   Pair<Real> edges(int late), Real& edge(int slot)   late tasks: EarlyPivots::edges

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
};

/// A team's functions are of the device alone where the team is.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define HILLOCK_SOLVER_LATE_TEAM _Pragma("nv_exec_check_disable")
#else
#define HILLOCK_SOLVER_LATE_TEAM
#endif

/// One task, as the thread that has it keeps it.
template <class Real>
struct HeldTask {
  int step = -1;  ///< -1: none
  int number = 0;
  int a = 0, b = 0, give_a = 0, give_b = 0, give_edge = 0, extra_begin = 0, extra_end = 0;
  Real reciprocal = 0;   ///< of an early task
  Pair<Real> factors{};  ///< of a late task those of the last elimination

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void load(const LateTables& tree, int task, Cell& cell) {
    if (task >= tree.begin[tree.steps]) return;
    step = 0;
    while (task >= tree.begin[step + 1]) ++step;
    number = task;
    const PackedTask packed = tree.packed[task];
    a = packed.a;
    b = packed.b;
    give_a = packed.give_a;
    give_b = packed.give_b;
    give_edge = packed.give_edge;
    extra_begin = packed.extra_begin;
    extra_end = packed.extra_end;
    if (task >= tree.early_tasks) return;
    reciprocal = cell.reciprocal(task);
    factors = {cell.factor_a(task), cell.factor_b(task)};
  }

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void pass_on(Cell& cell) const {
    Real rhs = cell.x(number);
    rhs += cell.inbox(own_entries * number);
    rhs += cell.inbox(own_entries * number + 1);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = extra_begin; i < extra_end; ++i) rhs += cell.inbox(i);
    if (give_a != nowhere) cell.inbox(give_a) = factors.x * rhs;
    if (give_b != nowhere) cell.inbox(give_b) = factors.y * rhs;
    cell.x(number) = reciprocal * rhs;
  }

  /// early: how many tasks are.
  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void eliminate(int early, Cell& cell) {
    const int late = number - early, own = own_entries * (number + late);
    Real d = cell.diagonal(number), rhs = cell.x(number);
    take<Real>({cell.inbox(own), cell.inbox(own + 1)}, d, rhs);
    take<Real>({cell.inbox(own + 2), cell.inbox(own + 3)}, d, rhs);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = extra_begin; i < extra_end; i += 2)
      take<Real>({cell.inbox(i), cell.inbox(i + 1)}, d, rhs);
    const auto give = [&](int to, const Pair<Real>& entry) {
      if (to == nowhere) return;
      cell.inbox(to) = entry.x;
      cell.inbox(to + 1) = entry.y;
    };
    const Pivot<Real> pivot(cell.edges(late), d, rhs);
    give(give_a, pivot.to_a());
    give(give_b, pivot.to_b());
    if (give_edge != nowhere) cell.edge(give_edge) = pivot.between();
    factors = pivot.factors();
    cell.x(number) = pivot.alone();
  }

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void substitute_back(Cell& cell) const {
    const Real x = substitute<Real>(cell.x(number), factors.x, cell.x(a));
    cell.x(number) = substitute<Real>(x, factors.y, cell.x(b));
  }
};

/// A thread's tasks of one cell: those whose number modulo the team's size is its rank. count: at
/// least as many as it has.
template <class Real, int count>
class HeldTasks {
 public:
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void load(const Team& team, const LateTables& tree, Cell& cell) {
    for (int k = 0; k < count; ++k) tasks_[k].load(tree, team.rank() + k * team.size(), cell);
    steps_ = tree.steps;
    early_steps_ = tree.early_steps;
    early_tasks_ = tree.early_tasks;
  }

  /// Solves one cell in place; everyone in the team calls it. A pivot of 0 gives values that are
  /// not finite. The same bits for every size of team. Syncs twice a step; ends with a sync.
  HILLOCK_SOLVER_LATE_TEAM
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void solve(const Team& team, Cell& cell) {
    int step = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < early_steps_; ++step) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int k = 0; k < count; ++k)
        if (tasks_[k].step == step) tasks_[k].pass_on(cell);
      team.sync();
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < steps_; ++step) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int k = 0; k < count; ++k)
        if (tasks_[k].step == step) tasks_[k].eliminate(early_tasks_, cell);
      team.sync();
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    while (step-- > 0) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int k = 0; k < count; ++k)
        if (tasks_[k].step == step) tasks_[k].substitute_back(cell);
      team.sync();
    }
  }

 private:
  HeldTask<Real> tasks_[count];
  int steps_ = 0, early_steps_ = 0, early_tasks_ = 0;
};

}  // namespace hillock::solver::contraction
