#pragma once
// Hines batches on the CPU: one core, all cores, and SIMD lanes on all cores.

#include "solver/hines_batch/schedule.hpp"
#include "solver/hines_batch/shape.hpp"

namespace hillock::solver::hines_batch {

/// System after system in place, the plain loop every other family answers to.
/// values: diagonals are destroyed, rhs becomes the solution.
/// Throws MismatchedBatch when the values are not the shape's.
template <class T>
void solve_serial(const BatchShape& shape, FlatValues<T>& values);

/// The same with systems shared among threads (0: as many as there are). Same bits as serial.
template <class T>
void solve_openmp(const BatchShape& shape, FlatValues<T>& values, int threads = 0);

/// The arrangement solve_lanes takes: groups as wide as a cache line, sorted by tree.
template <class T>
Arrangement simd_lanes() {
  return {.width = 64 / static_cast<int>(sizeof(T)), .order = Arrangement::Order::sorted};
}

/// A group's lanes together, groups shared among threads. Groups with more than one tree are
/// solved lane after lane. Same bits as serial, whatever the instructions of the machine.
/// Throws MismatchedBatch when the schedule is not of simd_lanes<T>().
template <class T>
void solve_lanes(const Schedule& schedule, ArrangedValues<T>& values, int threads = 0);

}  // namespace hillock::solver::hines_batch
