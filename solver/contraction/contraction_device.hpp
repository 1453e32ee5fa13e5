#pragma once
// Batches of systems solved by contraction on a GPU. Plain C++: no CUDA header.
// Not here: the schedule (solver/contraction/schedule.hpp), what it means, and the host's executor.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/contraction/schedule.hpp"
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

/// The cells of a batch: cell c has tree templates[template_of[c]].
struct ContractionBatch {
  std::vector<ContractionSchedule> templates;
  std::vector<int> template_of;  ///< [cell]
};

/// One template, `cells` times.
ContractionBatch batch_of_one_template(ContractionSchedule schedule, std::size_t cells);

/// A batch set up on the current device. Real is float or double.
/// Arrays of values hold the cells one after another, each in its tree's own order:
/// cell c at [offset(c), offset(c) + its node_count).
template <class Real>
class ContractionDevice {
 public:
  /// couplings: [template][node] when all cells of a template share them; empty when each solve
  /// brings them per system.
  /// Throws UsageError when a forced mapping cannot hold a tree, DeviceError when CUDA fails or
  /// the build has none.
  ContractionDevice(const ContractionBatch& batch, const std::vector<std::vector<Real>>& couplings,
                    const ContractionOptions& options = {});
  ContractionDevice(ContractionDevice&&) noexcept;
  ContractionDevice& operator=(ContractionDevice&&) noexcept;
  ~ContractionDevice();

  std::size_t value_count() const;
  std::size_t offset(std::size_t cell) const;
  /// "block a cell, 2 tasks a thread × 288 threads", a line for each launch of a solve.
  std::string describe() const;
  /// Bytes on the device for schedules and scratch, values not counted.
  std::size_t device_bytes() const;

  struct Arguments {
    const Real* diagonal = nullptr;  ///< device [value_count]
    Real* rhs = nullptr;             ///< device [value_count], the solution out
    const Real* coupling = nullptr;  ///< device [value_count] when not shared by a template
    /// Solves so many times in one kernel, each solution the next right-hand side.
    int repeats = 1;
    CUstream_st* stream = nullptr;
  };
  /// Starts the solve; values that are not finite come out where a pivot is 0.
  /// Pivots must lie between 1e-300 and 1e300 (1e-37 and 1e37 for float). Deterministic.
  void solve(const Arguments& arguments);

  /// The same from and to host memory, waiting for the end. coupling: empty or [value_count].
  void solve_on_host(std::span<const Real> diagonal, std::span<Real> rhs,
                     std::span<const Real> coupling = {}, int repeats = 1);

 private:
  struct Setup;
  std::unique_ptr<Setup> setup_;
};

extern template class ContractionDevice<float>;
extern template class ContractionDevice<double>;

}  // namespace hillock::solver
