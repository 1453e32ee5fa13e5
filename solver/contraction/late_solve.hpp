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

/// Two small numbers in one register. They are taken apart where they are needed: a compiler that
/// did so once for all would fill all registers with them.
struct Halves {
  unsigned both;
  HILLOCK_SOLVER_FUNCTION int low() const { return static_cast<int>(here() & 0xffff); }
  HILLOCK_SOLVER_FUNCTION int high() const { return static_cast<int>(here() >> 16); }

 private:
  HILLOCK_SOLVER_FUNCTION unsigned here() const {
#ifdef __CUDA_ARCH__
    unsigned here = both;
    asm volatile("" : "+r"(here));
    return here;
#else
    return both;
#endif
  }
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

  /// Calls do_it(entry) for the extras in order, and for some of value 0 behind them. width: of an
  /// entry, in numbers.
  template <int width, class Entry, class Read, class Do>
  HILLOCK_SOLVER_FUNCTION void for_extras(const Read& read, const Do& do_it) const {
    constexpr int at_once = 4;  // on their way
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = packed.extras.low(); i < packed.extras.high(); i += width * at_once) {
      Entry entries[at_once];
      for (int k = 0; k < at_once; ++k)
        entries[k] = read(i + width * k < packed.extras.high() ? i + width * k : 0);
      for (int k = 0; k < at_once; ++k) do_it(entries[k]);
    }
  }

  template <class Cell>
  HILLOCK_SOLVER_FUNCTION void pass_on(int number, Cell& cell) const {
    Real rhs = cell.x(number);
    rhs += cell.inbox(packed.taken.low());
    rhs += cell.inbox(packed.taken.high());
    for_extras<1, Real>([&](int i) { return cell.inbox(i); }, [&](Real term) { rhs += term; });
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
    for_extras<2, Pair<Real>>([&](int i) { return cell.entry(i); },
                              [&](const Pair<Real>& entry) { take<Real>(entry, d, rhs); });
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
    const Real a = cell.x(packed.neighbours.low()), b = cell.x(packed.neighbours.high());
    cell.x(number) = multiply_add(factors.y, b, multiply_add(factors.x, a, cell.x(number)));
  }
};

/// A thread's tasks of one cell, the last one first: those whose number modulo the team's size is
/// its rank, shifted so that the last tasks of all are one squad's, one each. count: at least the
/// rows by the team's size.
///
/// The last steps, whose tasks are all among those, are that squad's alone: there it meets nobody
/// else, and its threads look at one task each.
template <class Real, int count>
class HeldTasks {
 public:
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void load(const Team& team, const LateTables& tree, Cell& cell) {
    const int squad = team.squad(), border = (tree.tasks + squad - 1) / squad * squad;
    const int groups = (border + team.size() - 1) / team.size();
    first_ = (groups - 1) * team.size() + team.rank() - (border - tree.tasks);
    is_in_last_squad_ = (border - 1) % team.size() / squad == team.rank() / squad;
    has_last_ = first_ == tree.tasks - 1;
    steps_ = tree.steps;
    narrow_ = tree.tasks <= squad ? 0 : tree.packed[tree.tasks - squad - 1].step() + 1;
    early_steps_ = tree.early_steps;
    early_tasks_ = tree.early_tasks;
    for (int k = 0; k < count; ++k) {
      tasks_[k].load(tree, number(team, k), cell);
      if (const int step = tasks_[k].packed.step(); step != nowhere) turns_ |= turn(step);
    }
  }

  /// Whether this thread has the last task, whose value takes in all others: after a solve it is
  /// not finite if any is not.
  HILLOCK_SOLVER_FUNCTION bool has_last() const { return has_last_; }

  /// Solves one cell in place; everyone in the team calls it. A pivot of 0 gives values that are
  /// not finite. The same bits for every size of team. Syncs at most twice a step; the team has to
  /// meet afterwards.
  HILLOCK_SOLVER_ANY_TEAM
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void solve(const Team& team, Cell& cell) {
    int step = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < early_steps_ && step < narrow_; ++step) {
      each_of(step, team, [&](HeldTask<Real>& task, int number) { task.pass_on(number, cell); });
      team.sync();
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < narrow_; ++step) {
      each_of(step, team, [&](HeldTask<Real>& task, int number) {
        task.eliminate(number, early_tasks_, cell);
      });
      team.sync();
    }
    if (narrow_ < steps_) {
      if (is_in_last_squad_) solve_last(team, cell);
      if (narrow_ > 0) team.sync();
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (step = narrow_; step-- > 0;) {
      each_of(step, team,
              [&](HeldTask<Real>& task, int number) { task.substitute_back(number, cell); });
      if (step > 0) team.sync();
    }
  }

 private:
  /// The steps from narrow_ on, up and down.
  HILLOCK_SOLVER_ANY_TEAM
  template <class Team, class Cell>
  HILLOCK_SOLVER_FUNCTION void solve_last(const Team& team, Cell& cell) {
    HeldTask<Real>& task = tasks_[0];
    const int number = first_, turn = task.packed.step();
    int step = narrow_;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < early_steps_; ++step) {
      if (turn == step) task.pass_on(number, cell);
      team.sync_squad();
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (; step < steps_; ++step) {
      if (turn == step) task.eliminate(number, early_tasks_, cell);
      team.sync_squad();
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    while (step-- > narrow_) {
      if (turn == step) task.substitute_back(number, cell);
      team.sync_squad();
    }
  }

  template <class Team>
  HILLOCK_SOLVER_FUNCTION int number(const Team& team, int k) const {
    return first_ - k * team.size();
  }
  /// Threads without a task in a step pass it by one test; 32 steps apart they look once too often.
  HILLOCK_SOLVER_FUNCTION static unsigned turn(int step) {
    return 1u << (step % 32);
  }

  HILLOCK_SOLVER_ANY_TEAM
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
  int first_ = 0;  ///< number of its last task; there may be none of that number
  int steps_ = 0;
  int narrow_ = 0;  ///< the step from which on the tasks are one squad's
  bool is_in_last_squad_ = false, has_last_ = false;
  int early_steps_ = 0, early_tasks_ = 0;
};

}  // namespace hillock::solver::contraction
