#pragma once
// NeuroGPU's two ways of solving many traces of one cell, on the host; kernels are in stone_device.

#include <span>
#include <vector>

#include "solver/batch.hpp"
#include "solver/schedules/stone_schedule.hpp"

namespace hillock::solver {

enum class BackSubstitution {
  segment,  ///< recursive doubling along each root path, one thread a segment: log2(depth) rounds
  branch,   ///< one thread a branch, level after level
};

/// Values in row order. The traces of a cell are stimuli that share its couplings and have
/// diagonals and right-hand sides of their own; each is a system of the batch, a cell's one after
/// another.
template <class T>
struct StoneValues {
  std::vector<T> diagonal;  ///< [n_cells][n_traces][n]
  std::vector<T> coupling;  ///< [n_cells][n] to the parent; a root's is 0
  std::vector<T> rhs;       ///< [n_cells][n_traces][n]
};

/// Throws InvalidBatch unless all systems have one tree and whole cells of `traces` traces.
void check_traces(const Forest& forest, int traces);

/// Into row order and back: the conversions that a simulation does once, or never. A cell's
/// couplings are those of its first trace; the others' are not read. Both throw InvalidBatch when
/// sizes do not fit.
template <class T>
StoneValues<T> arrange(const Forest& forest, const StoneSchedule& schedule,
                       const BatchValues<T>& values, int traces = 1);
template <class T>
std::vector<T> gather(const Forest& forest, const StoneSchedule& schedule,
                      std::span<const T> solution);

/// Solves arranged values exactly as the kernel does with `team` threads a trace; the solution is
/// in row order, [n_cells][n_traces][n]. Same bits for every team.
///
/// Error. Upward it is Hines elimination. Downward x = y + f·x[parent] is unrolled: after round r
/// a row holds y_r = Σ over its 2^r nearest of itself and its ancestors of (Π f)·y, and
/// f_r = Π f. A round is one product and one fused sum, so the error it adds to y_r is at most
/// 2·eps·Σ|Π f·y|; the relative errors of the factors, r·eps after r rounds, add as much again.
/// With 0 <= f < 1 the sum of absolute values is at most X, the solution of the same matrix for
/// |rhs|, hence |x - x_hines| <= 4·rounds·eps·max X. Since X <= max|rhs| for a diagonal of at least
/// 1 + couplings, this is far below 8·eps·(1 + kappa)·max|x| but where the solution cancels.
template <class T>
std::vector<T> solve_on_host(const StoneSchedule& schedule, BackSubstitution back,
                             const StoneValues<T>& arranged, int team = 32);

}  // namespace hillock::solver
