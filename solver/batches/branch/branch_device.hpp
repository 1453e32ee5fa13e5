#pragma once
// Batches of systems solved branch by branch on a GPU. Plain C++: no CUDA header.
// Not here: the plan (solver/schedules/branch_plan.hpp) and the host's executor.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/cuda/device.hpp"
#include "solver/schedules/branch_plan.hpp"

struct CUstream_st;

namespace hillock::solver {

/// Where a block keeps its values while it solves.
enum class BranchMemory {
  automatic,  ///< shared where every block fits
  shared,
  global,  ///< any size; what Huber's solver does
};

/// How the values handed to a solve are ordered.
enum class BranchOrder {
  natural,  ///< cells one after another, nodes in their trees' own order: [value_count]
  solver,   ///< the plan's layout, interleaved and padded: [storage]
};

/// A plan set up on the current device. Real is float or double.
template <class Real>
class BranchDevice {
 public:
  virtual ~BranchDevice() = default;

  /// Places of the plan's layout on this device.
  virtual std::size_t storage() const = 0;
  virtual std::string describe() const = 0;
  /// Bytes on the device for plans and scratch, values not counted.
  virtual std::size_t device_bytes() const = 0;

  struct Arguments {
    const Real* diagonal = nullptr;  ///< device, in `order`
    Real* rhs = nullptr;             ///< device, in `order`; the solution out
    const Real* coupling = nullptr;  ///< device [value_count], natural, when not shared
    BranchOrder order = BranchOrder::natural;
    /// Solves so many times in one kernel, each solution the next right-hand side.
    int repeats = 1;
    CUstream_st* stream = nullptr;
  };
  /// Starts the solve; values that are not finite come out where a pivot is 0. Pivots must lie
  /// between 1e-60 and 1e60 (1e-37 and 1e37 for float). Deterministic. In global memory and
  /// natural order it permutes into the solver's layout and back.
  virtual void solve(const Arguments& arguments) = 0;

  /// from: device [value_count] natural; to: device [storage]. Padding is left as it is.
  virtual void permute_in(const Real* from, Real* to, CUstream_st* stream = nullptr) = 0;
  virtual void permute_out(const Real* from, Real* to, CUstream_st* stream = nullptr) = 0;

  /// Solves from and to host memory in natural order, waiting for the end. coupling: empty or
  /// [value_count]. Throws InvalidBatch when sizes are not the plan's.
  virtual void solve_from_host(std::span<const Real> diagonal, std::span<Real> rhs,
                               std::span<const Real> coupling = {}, int repeats = 1) = 0;
};

/// couplings: [tree][node], shared by all systems with a tree; empty when each solve brings them
/// per system.
/// Throws InvalidBatch when couplings are not the trees', UsageError when shared memory is forced
/// and too small, DeviceError when CUDA fails or the build has none.
template <class Real>
std::unique_ptr<BranchDevice<Real>> branch_on_device(
    const BranchPlan& plan, const std::vector<std::vector<Real>>& couplings = {},
    BranchMemory memory = BranchMemory::automatic);

}  // namespace hillock::solver
