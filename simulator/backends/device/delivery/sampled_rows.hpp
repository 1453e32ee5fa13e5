#pragma once
// Samples of an epoch: where the device writes them, and their way to the host.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulator/backends/device/kernels/views.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/backends/device/memory/stream_mark.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::on_device {

class SampledRows {
 public:
  SampledRows() = default;
  /// recordings: one for each of `times`, which must outlive this.
  SampledRows(std::span<const SampleTimes> times, Recording* recordings);

  /// For as many samples as an epoch may have.
  void make_room(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports,
                 DeviceMemory& memory);
  /// Tells the device where the samples of steps in (after, last] go. slot: one of two, of epochs
  /// that are under way.
  void open(std::int64_t after, std::int64_t last, unsigned slot, device::Stream stream);
  /// Starts to copy them.
  void fetch(unsigned slot, device::Stream stream);
  /// Waits for that.
  void hand_over(unsigned slot, const EpochResult& result) const;

 private:
  std::span<const SampleTimes> times_;
  Recording* recordings_ = nullptr;
  bool is_told_ = false;                  ///< the device of any
  std::vector<DeviceView<double>> rows_;  ///< [recording]
  std::vector<std::size_t> columns_;      ///< [recording]
  struct Slot {
    PinnedArray<Recording> recordings;
    std::vector<PinnedArray<double>> rows;
    std::vector<std::size_t> sizes;  ///< [recording] numbers of the epoch
    StreamMark fetched;
  };
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace hillock::simulator::on_device
