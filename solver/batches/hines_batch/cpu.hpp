#pragma once
// Hines batches on the CPU: one core, all cores, and SIMD lanes on all cores.

#include "solver/batch.hpp"
#include "solver/batches/hines_batch/schedule.hpp"

namespace hillock::solver {

/// System after system in place, the plain loop every other family answers to.
/// values: diagonals are destroyed, rhs becomes the solution.
/// Throws InvalidBatch when the values are not the forest's.
template <class T>
void solve_serial(const Forest& shape, BatchValues<T>& values);

/// The same with systems shared among threads (0: as many as there are). Same bits as serial.
template <class T>
void solve_openmp(const Forest& shape, BatchValues<T>& values, int threads = 0);

/// The arrangement solve_lanes takes: groups as wide as a cache line, sorted by tree.
template <class T>
HinesArrangement simd_lanes() {
  return {.width = 64 / static_cast<int>(sizeof(T)), .order = HinesArrangement::Order::sorted};
}

/// A group's lanes together, groups shared among threads. Groups with more than one tree are
/// solved lane after lane. Same bits as serial, whatever the instructions of the machine.
/// Throws UsageError when the schedule is not of simd_lanes<T>().
template <class T>
void solve_lanes(const HinesSchedule& schedule, HinesValues<T>& values, int threads = 0);

}  // namespace hillock::solver
