#pragma once
// A schedule in the form that late_solve.hpp reads.

#include <cstddef>
#include <vector>

#include "solver/contraction/early_pivots.hpp"
#include "solver/contraction/late_solve.hpp"

namespace hillock::solver::contraction {

/// A schedule without folds.
struct PackedTasks {
  std::vector<PackedTask> tasks;
  int kept = 0;  ///< first numbers of the inbox, which are to be 0 before the first solve
  int inbox_numbers = 0;
};

/// The numbers of any tree of so many nodes fit into 16 bits: a node gives to two others at most,
/// two numbers each.
inline constexpr std::size_t most_packed_nodes = 12288;

/// Throws std::length_error for trees whose numbers do not fit.
PackedTasks packed_tasks(const ContractionSchedule& schedule);

}  // namespace hillock::solver::contraction
