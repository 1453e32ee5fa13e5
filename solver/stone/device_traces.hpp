#pragma once
// NeuroGPU's solve on a GPU: traces of one cell in a block, a warp a trace. Includes no CUDA
// header; a build without CUDA throws DeviceError here.

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/cuda/device.hpp"
#include "solver/stone/schedule.hpp"

namespace hillock::solver::stone {

struct LaunchOptions {
  BackSubstitution back = BackSubstitution::segment;
  /// Threads that share a trace: 32, and as many traces in a block as fit (the paper's mapping);
  /// or 64 to 1024, a block a trace. Other numbers throw InvalidInput.
  int team = 32;
  /// Solves done by one launch, each from the inputs anew: for measurements.
  int repeats = 1;
};

/// Cells with one tree on one device. Every member throws DeviceError when a CUDA call fails.
template <class T>
class DeviceTraces {
 public:
  DeviceTraces(const Schedule& schedule, BatchSize size, int device = 0);
  DeviceTraces(DeviceTraces&&) noexcept;
  DeviceTraces& operator=(DeviceTraces&&) noexcept;
  ~DeviceTraces();

  /// values: as the tree numbers its compartments. Throws InvalidInput when sizes do not fit.
  void upload(const Values<T>& values);
  /// Queued; inputs are kept. Cells too large for shared memory are solved in global memory.
  void solve(LaunchOptions options = {});
  /// Waits, and returns [n_cells][n_traces][n] as the tree numbers its compartments.
  std::vector<T> solution();

  void synchronize();
  /// The cudaStream_t of this batch.
  void* stream() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hillock::solver::stone
