#pragma once
// What never changes of a contraction where only late nodes' diagonals do: its early tasks are
// eliminated once, on the host, for late_solve.hpp.

#include <span>
#include <vector>

#include "solver/contraction/schedule.hpp"

namespace hillock::solver::contraction {

/// How many of a schedule's tasks, and of its entries, are early. An entry is early whose task is.
struct EarlyCounts {
  int tasks = 0, entries = 0;
};
EarlyCounts early_counts(const ContractionSchedule& schedule);

struct EarlyPivots {
  /// By early task, of a fold 0: 1 / pivot, and the couplings to a and b over it.
  std::vector<double> reciprocal, factor_a, factor_b;
  std::vector<double> diagonal;  ///< [node] of late ones without what early tasks take off
  std::vector<double> edges;     ///< [2 · late task + side] 0 where a late task makes it
};

/// coupling: [n] to the parent, [0] unused.   diagonal: [n]. Cost O(n).
EarlyPivots eliminate_early(const ContractionSchedule& schedule, std::span<const double> coupling,
                            std::span<const double> diagonal);

}  // namespace hillock::solver::contraction
