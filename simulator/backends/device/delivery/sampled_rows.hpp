#pragma once
// Samples of an epoch: where the device writes them, and their way to the host.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "simulator/backends/device/kernels/potential_sums.hpp"
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

  /// For as many samples as an epoch may have. Of potentials outside sums go to the
  /// host, or, of means and cells by themselves, currents.
  void make_room(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports,
                 std::span<const PotentialPlan> potentials, DeviceMemory& memory);
  /// Tells the device where the samples of steps in (after, last] go. slot: one of two, of epochs
  /// that are under way.
  void open(std::int64_t after, std::int64_t last, unsigned slot, device::Stream stream);
  /// Starts to copy them, when the stream is there; what comes into that from now on does not wait.
  void fetch(unsigned slot, device::Stream stream);
  /// Waits for that.
  void hand_over(unsigned slot, const EpochResult& result) const;

 private:
  std::span<const SampleTimes> times_;
  Recording* recordings_ = nullptr;
  bool is_told_ = false;              ///< the device of any
  std::vector<std::size_t> columns_;  ///< [recording] of rows on the device
  /// What is made of the rows of a recording.
  struct Sums {
    PotentialWork work{};  ///< but for the samples
    DeviceView<double> room;
  };
  std::vector<std::optional<Sums>> sums_;  ///< [recording]
  std::vector<std::size_t> sent_columns_;  ///< [recording] of what goes to the host
  struct Slot {
    PinnedArray<Recording> recordings;
    std::vector<DeviceView<double>> made;  ///< [recording] by steps
    std::vector<PinnedArray<double>> rows;
    std::vector<std::size_t> samples;  ///< [recording] of the epoch
    StreamMark sampled, fetched;
  };
  struct Slots {
    Slot each[2];
    /// Of sums and copies, while the steps of the next epoch go on.
    device::Stream stream = device::make_stream(device::Urgency::usual);

    Slots() = default;
    Slots(Slots&&) = delete;
    ~Slots() { device::drop(stream); }
  };
  std::unique_ptr<Slots> slots_;

  Sums sums_of(const PotentialPlan& plan, std::size_t k, std::size_t samples, DeviceMemory& memory);
  bool has_any(const Slot& slot) const;
};

}  // namespace hillock::simulator::on_device
