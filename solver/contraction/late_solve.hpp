#pragma once
// One cell solved by contraction where only late nodes' diagonals change: early tasks have pivots
// that were computed once (early_pivots.hpp) and move right-hand sides alone. Launches nothing, and
// includes no header of any library, so that NVRTC compiles it.
//
// Values lie in the order of tasks, so that threads next to each other work on numbers next to each
// other: "x(t)" is that of the node that task t eliminates. What tasks give each other lies in the
// inbox, where inbox_places.hpp says. A thread keeps what never changes of its tasks, in registers
// where their number is known.
// A Cell says where a cell's values lie; Real is float or double:
//   Real diagonal(int task)                    of late tasks, without what early ones take off
//   Real& x(int task)                          the right-hand side in, the solution out
//   Real& inbox(int number)                    scratch; its first numbers are 0 before the first
//                                              solve (InboxPlaces::kept)
//   Pair<Real>& entry(int number)              two numbers of the inbox, the first one even
//   Real reciprocal(int task), factor_a(int task), factor_b(int task)   early tasks
//   Pair<Real> edges(int late), Real& edge(int slot)   late tasks: EarlyPivots::edges

#include "solver/contraction/elimination.hpp"
#include "solver/team.hpp"

namespace hillock::solver::contraction {

/// Two small numbers in one register.
struct Halves {
  unsigned both;
  HILLOCK_SOLVER_FUNCTION int low() const { return static_cast<int>(both & 0xffff); }
  HILLOCK_SOLVER_FUNCTION int high() const { return static_cast<int>(both >> 16); }
};

/// What the schedule says of a task (schedule.hpp); the first number of each is the low one.
struct PackedTask {
  Halves neighbours;     ///< tasks a and b; its own number where there is none, the factor is 0
  Halves given;          ///< to a and b: numbers of the inbox, of a late task even ones
  Halves taken;          ///< numbers of the inbox, 0 for none
  Halves extras;         ///< [begin, end) of further ones; 0 and 0 for none
  Halves edge_and_step;  ///< the slot of the edge that it makes; when it goes

  HILLOCK_SOLVER_FUNCTION int step() const { return edge_and_step.high(); }
};
/// Of what is given nowhere, and when no task goes.
inline constexpr int nowhere = 0xffff;

/// The schedule where the code runs.
struct LateTables {
  const PackedTask* packed;
  int tasks, steps, early_steps, early_tasks;
};

/// A team's functions are of the device alone where the team is.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define HILLOCK_SOLVER_LATE_TEAM _Pragma("nv_exec_check_disable")
#else
#define HILLOCK_SOLVER_LATE_TEAM
#endif

/// One task, as the thread that has it keeps it. number: the task's.
template <class Real>
struct HeldTask {
  PackedTask packed{{}, {}, {}, {}, {~0u}};
  Pair<Real> factors{};  ///< of a late task those of the last elimination

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void load(const LateTables& tree, int number, Cell& cell) {
    if (number < 0 || number >= tree.tasks) return;
    packed = tree.packed[number];
    if (number < tree.early_tasks) factors = {cell.factor_a(number), cell.factor_b(number)};
  }

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void pass_on(int number, Cell& cell) const {
    Real rhs = cell.x(number);
    rhs += cell.inbox(packed.taken.low());
    rhs += cell.inbox(packed.taken.high());
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = packed.extras.low(); i < packed.extras.high(); ++i) rhs += cell.inbox(i);
    const auto give = [&](int to, Real factor) {
      if (to != nowhere) cell.inbox(to) = factor * rhs;
    };
    give(packed.given.low(), factors.x);
    give(packed.given.high(), factors.y);
    cell.x(number) = cell.reciprocal(number) * rhs;
  }

  /// early: how many tasks are.
  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void eliminate(int number, int early, Cell& cell) {
    Real d = cell.diagonal(number), rhs = cell.x(number);
    take<Real>(cell.entry(packed.taken.low()), d, rhs);
    take<Real>(cell.entry(packed.taken.high()), d, rhs);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = packed.extras.low(); i < packed.extras.high(); i += 2)
      take<Real>(cell.entry(i), d, rhs);
    const auto give = [&](int to, const Pair<Real>& entry) {
      if (to != nowhere) cell.entry(to) = entry;
    };
    const Pivot<Real> pivot(cell.edges(number - early), d, rhs);
    give(packed.given.low(), pivot.to_a());
    give(packed.given.high(), pivot.to_b());
    if (const int slot = packed.edge_and_step.low(); slot != nowhere)
      cell.edge(slot) = pivot.between();
    factors = pivot.factors();
    cell.x(number) = pivot.alone();
  }

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void substitute_back(int number, Cell& cell) const {
    const Real x = substitute<Real>(cell.x(number), factors.x, cell.x(packed.neighbours.low()));
    cell.x(number) = substitute<Real>(x, factors.y, cell.x(packed.neighbours.high()));
  }
};

/// A thread's tasks of one cell: those whose number modulo the team's size is its rank, shifted so
/// that the last tasks are those of one squad. count: at least the rows by the team's size.
///
/// The last steps, whose tasks all belong to that squad, are the squad's alone: there it meets
/// nobody else.
template <class Real, int count>
class HeldTasks {
 public:
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void load(const Team& team, const LateTables& tree, Cell& cell) {
    first_ = team.rank();
    end_ = narrow_ = tree.steps;
    early_steps_ = tree.early_steps;
    early_tasks_ = tree.early_tasks;
    if (const int squad = team.squad(); squad < team.size()) {
      const int border = (tree.tasks + squad - 1) / squad * squad;
      first_ -= border - tree.tasks;
      narrow_ = tree.tasks <= squad ? 0 : tree.packed[tree.tasks - squad - 1].step() + 1;
      waits_ = narrow_ < tree.steps && (border - 1) % team.size() / squad != team.rank() / squad;
      if (waits_) end_ = narrow_;
    }
    for (int k = 0; k < count; ++k) {
      tasks_[k].load(tree, number(team, k), cell);
      if (const int step = tasks_[k].packed.step(); step != nowhere) turns_ |= turn(step);
    }
  }

  /// Solves one cell in place; everyone in the team calls it. A pivot of 0 gives values that are
  /// not finite. The same bits for every size of team. Syncs at most twice a step; ends with a
  /// sync.
  HILLOCK_SOLVER_LATE_TEAM
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void solve(const Team& team, Cell& cell) {
    int step = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < early_steps_ && step < end_; ++step) {
      each_of(step, team, [&](HeldTask<Real>& task, int number) { task.pass_on(number, cell); });
      meet(team, step < narrow_);
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < end_; ++step) {
      each_of(step, team, [&](HeldTask<Real>& task, int number) {
        task.eliminate(number, early_tasks_, cell);
      });
      meet(team, step < narrow_);
    }
    if (waits_) team.sync();  // until the squad is back
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    while (step-- > 0) {
      each_of(step, team,
              [&](HeldTask<Real>& task, int number) { task.substitute_back(number, cell); });
      meet(team, step <= narrow_);
    }
  }

 private:
  template <class Team>
  HILLOCK_SOLVER_FUNCTION int number(const Team& team, int k) const {
    return first_ + k * team.size();
  }
  HILLOCK_SOLVER_LATE_TEAM
  template <class Team>
  HILLOCK_SOLVER_FUNCTION static void meet(const Team& team, bool all) {
    if (all)
      team.sync();
    else
      team.sync_squad();
  }
  /// Threads without a task in a step pass it by one test; 32 steps apart they look once too often.
  HILLOCK_SOLVER_FUNCTION static unsigned turn(int step) {
    return 1u << (step % 32);
  }

  HILLOCK_SOLVER_LATE_TEAM
  template <class Team, class Do>
  HILLOCK_SOLVER_FUNCTION void each_of(int step, const Team& team, Do&& go) {
    if (!(turns_ & turn(step))) return;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < count; ++k)
      if (tasks_[k].packed.step() == step) go(tasks_[k], number(team, k));
  }

  HeldTask<Real> tasks_[count];
  unsigned turns_ = 0;
  int first_ = 0;       ///< number of its first task; below 0 where that is none
  int narrow_ = 0;      ///< the step from which on the tasks are one squad's
  int end_ = 0;         ///< the step at which this thread is done
  bool waits_ = false;  ///< for the squad
  int early_steps_ = 0, early_tasks_ = 0;
};

}  // namespace hillock::solver::contraction
