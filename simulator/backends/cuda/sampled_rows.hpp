#pragma once
// Samples of an epoch: where the device writes them, and their way to the host.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/backends/cuda/device/views.hpp"
#include "simulator/backends/cuda/pinned.hpp"
#include "simulator/engine.hpp"
#include "simulator/plan/network_plan.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::simulator::cuda {

class SampledRows {
 public:
  SampledRows() = default;
  /// recordings: one for each of `times`, which must outlive this.
  SampledRows(std::span<const SampleTimes> times, Recording* recordings);

  /// For as many samples as an epoch may have.
  void make_room(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports);
  /// Tells the device where the samples of steps up to `last` go.
  void open(std::int64_t last, const EpochResult& result, cudaStream_t stream);
  /// Starts to copy them.
  void fetch(cudaStream_t stream);
  /// Whether the epoch has samples.
  bool are_there() const {
    return std::ranges::any_of(sizes_, [](std::size_t size) { return size > 0; });
  }
  /// When that is done.
  void hand_over(const EpochResult& result) const;

 private:
  std::span<const SampleTimes> times_;
  Recording* recordings_ = nullptr;
  PinnedArray<Recording> host_recordings_;
  std::vector<solver::DeviceArray<double>> rows_;  ///< [recording]
  std::vector<PinnedArray<double>> host_rows_;
  std::vector<std::size_t> sizes_;  ///< [recording] numbers of this epoch
};

}  // namespace hillock::simulator::cuda
