#pragma once
// Where the entries of a schedule lie in the memory that late_solve.hpp works in: as few numbers
// as can be, by the steps at which an entry is given and taken.

#include <vector>

#include "solver/contraction/schedule.hpp"

namespace hillock::solver::contraction {

/// Entries of a task that may lie anywhere; further ones, its extras, lie one behind the other.
inline constexpr int free_entries = 2;

/// An entry of an early task is one number, of a late one two that begin at an even place. A place
/// is given again once the step of the task that takes it is over, and by that task itself before;
/// so solves one after the other need nothing reset.
///
/// Places below `kept` hold one entry each for good, and have to be 0 before the first solve: the
/// first two are the entry of who is given nothing, and of an entry that an early task gives to a
/// late one the first number, which is taken off the diagonal, stays 0. Every other place is
/// written in each solve before it is read.
struct InboxPlaces {
  std::vector<int> place;        ///< [entry] its first number
  std::vector<int> extra_begin;  ///< [task] its extras' first number; 0 where it has none
  std::vector<int> extra_end;    ///< [task]
  int kept = 0;
  int numbers = 0;  ///< of all places
};

/// schedule: without folds. Cost O(n log n), but O(n) for every task that has extras.
/// Deterministic.
InboxPlaces place_entries(const ContractionSchedule& schedule);

}  // namespace hillock::solver::contraction
