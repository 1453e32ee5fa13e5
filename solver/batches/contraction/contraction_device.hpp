#pragma once
// Batches of systems solved by contraction on a GPU. Plain C++: no CUDA header.
// Not here: the schedule (solver/contraction/schedule.hpp), what it means, and the host's executor.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/batch.hpp"
#include "solver/cuda/device.hpp"

struct CUstream_st;

namespace hillock::solver {

/// Who works on one cell.
enum class ContractionMapping {
  automatic,
  warp,    ///< a warp a cell, state in registers and shared memory; at most 128 tasks
  block,   ///< a block a cell, state in registers and shared memory
  global,  ///< a block a cell, state in device memory: any size
};

/// Which warps of a block meet between steps. The results are the same bits.
enum class ContractionBarriers {
  needed,  ///< those that still have work
  all,     ///< all; for tools that cannot follow barriers of a part of a block (racecheck)
};

struct ContractionOptions {
  ContractionMapping mapping = ContractionMapping::automatic;
  int tasks_per_thread = 0;  ///< of block, 1 to 4; 0 picks by size and number of cells
  ContractionBarriers barriers = ContractionBarriers::needed;
};

/// A batch set up on the current device. Real is float or double. Arrays of values are those of
/// BatchValues, on the device.
template <class Real>
class ContractionDevice {
 public:
  virtual ~ContractionDevice() = default;

  /// "block a cell, 2 tasks a thread × 288 threads", a line for each launch of a solve.
  virtual std::string describe() const = 0;
  /// Bytes on the device for schedules and scratch, values not counted.
  virtual std::size_t device_bytes() const = 0;

  struct Arguments {
    const Real* diagonal = nullptr;  ///< device [total]
    Real* rhs = nullptr;             ///< device [total], the solution out
    const Real* coupling = nullptr;  ///< device [total] when not shared by a template
    /// Solves so many times in one kernel, each solution the next right-hand side.
    int repeats = 1;
    CUstream_st* stream = nullptr;
  };
  /// Starts the solve; values that are not finite come out where a pivot is 0.
  /// Pivots must lie between 1e-300 and 1e300 (1e-37 and 1e37 for float). Deterministic.
  virtual void solve(const Arguments& arguments) = 0;

  /// The same from and to host memory, waiting for the end. coupling: empty or [total].
  /// Throws InvalidBatch when sizes are not the forest's.
  virtual void solve_from_host(std::span<const Real> diagonal, std::span<Real> rhs,
                               std::span<const Real> coupling = {}, int repeats = 1) = 0;
};

/// couplings: [tree][node] when all systems of a tree share them; empty when each solve brings them
/// per system.
/// Throws InvalidBatch when couplings are not the trees', UsageError when a forced mapping cannot
/// hold a tree, DeviceError when CUDA fails or the build has none.
template <class Real>
std::unique_ptr<ContractionDevice<Real>> contraction_on_device(
    const Forest& forest, const std::vector<std::vector<Real>>& couplings = {},
    const ContractionOptions& options = {});

}  // namespace hillock::solver
