#pragma once
// NeuroGPU's solve on a GPU: traces of one cell in a block, a warp a trace. Includes no CUDA
// header; a build without CUDA throws DeviceError here.

#include <memory>
#include <vector>

#include "solver/batch.hpp"
#include "solver/batches/stone/host.hpp"
#include "solver/cuda/device.hpp"

struct CUstream_st;

namespace hillock::solver {

struct StoneOptions {
  BackSubstitution back = BackSubstitution::segment;
  /// Threads that share a trace: 32, and as many traces in a block as fit (the paper's mapping);
  /// or 64 to 1024, a block a trace. Other numbers throw UsageError.
  int team = 32;
  /// Solves done by one launch, each from the inputs anew: for measurements.
  int repeats = 1;
};

/// Cells with one tree on one device. T: float or double. Every member throws DeviceError when a
/// CUDA call fails.
template <class T>
class StoneDevice {
 public:
  virtual ~StoneDevice() = default;

  /// A cell's couplings are those of its first trace. Throws InvalidBatch when sizes do not fit.
  virtual void upload(const BatchValues<T>& values) = 0;
  /// Queued; inputs are kept. Cells too large for shared memory are solved in global memory.
  virtual void solve(StoneOptions options = {}) = 0;
  /// Waits, and returns the solution flat: [total].
  virtual std::vector<T> solution() = 0;

  virtual void synchronize() = 0;
  virtual CUstream_st* stream() const = 0;
};

/// Sets a batch up on a device. traces: systems in a row that are a cell's.
/// Throws InvalidBatch for systems of several trees or a part of a cell, DeviceError when CUDA
/// fails or the build has none.
template <class T>
std::unique_ptr<StoneDevice<T>> stone_on_device(const Forest& forest, int traces = 1,
                                                int device = 0);

}  // namespace hillock::solver
