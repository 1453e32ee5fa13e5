#pragma once
// A schedule in the form that late_solve.hpp reads.

#include <vector>

#include "solver/contraction/early_pivots.hpp"
#include "solver/contraction/late_solve.hpp"

namespace hillock::solver::contraction {

/// Numbers that the inbox has.
inline int inbox_numbers(const ContractionSchedule& schedule) {
  const int early = (early_counts(schedule).entries + 1) / 2 * 2;  // late entries are pairs
  return early + 2 * (schedule.entry_count - early_counts(schedule).entries);
}

/// By task. Throws std::length_error for trees whose numbers do not fit.
std::vector<PackedTask> packed_tasks(const ContractionSchedule& schedule);

/// Steps that have, or that follow before one that has, more than `few` tasks.
int wide_steps(const ContractionSchedule& schedule, int few);

}  // namespace hillock::solver::contraction
