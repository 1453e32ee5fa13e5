#pragma once
// Connections and the spikes that are on their way, on a device: makes every epoch's events there.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "network/spikes.hpp"
#include "simulator/backends/device/delivery/connection_tables.hpp"
#include "simulator/backends/device/delivery/kernels.hpp"
#include "simulator/backends/device/delivery/spike_window.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/backends/engine.hpp"
#include "solver/device/array.hpp"

namespace hillock::simulator::on_device {

class SpikeDelivery {
 public:
  SpikeDelivery() = default;
  /// Puts the tables into device memory, which outlives this. cells: of all programs.
  /// spike_count: where the device counts spikes, which start() resets.
  SpikeDelivery(const ConnectionTables& tables, const ConnectionTables::SlotOf& slot_of,
                std::size_t cells, const network::Boundaries& boundaries, unsigned* spike_count,
                DeviceMemory& memory);

  /// Whether any event can ever arrive.
  bool has_connections() const { return cells_ > 0; }

  /// Before the epoch from step `first`: takes in the spikes that were made since the last, of the
  /// whole network. on_device: where the device has them itself, or null.
  void take_in(std::int64_t first, std::span<const std::vector<network::CellSpike>> spikes,
               const Spike* on_device);
  /// Starts to make the events of an epoch of what was taken in and what trains bring, which lies
  /// in pinned memory. Throws std::length_error when they are too many.
  void start(Epoch epoch, std::span<const TrainEvent> trains, device::Stream stream);
  /// The same while the epoch before still runs: the device will know its spikes, which are told
  /// by take_in() later. Where there is no room for their events the epoch's report says so.
  void start_ahead(Epoch epoch, std::span<const TrainEvent> trains, const Spike* spikes,
                   device::Stream stream);
  /// After a report that nothing was done, when all work is over: start() again.
  void go_on(device::Stream stream);

  /// Where the events of cells are; they may move with every start().
  const unsigned* begin() const { return begin_.data(); }
  const unsigned* end() const { return end_.data(); }
  const Event* events() const { return events_.data(); }
  /// Of the last start; null without connections.
  const DeliveryTotals* totals() const {
    return has_connections() ? totals_.data() + work_.parity : nullptr;
  }
  DeliveryState* state() { return state_.data(); }
  /// Throws std::logic_error unless everything had room.
  void check(const DeliveryTotals& totals) const;
  std::size_t bytes() const;

  /// What was heard of before a run that goes on there does not arrive again.
  void resume_at(const network::Resumed& at) { resumed_ = at; }

 private:
  void put_tables(const ConnectionTables& tables, const ConnectionTables::SlotOf& slot_of);
  const Spike* taken_in(device::Stream stream);
  void begin(Epoch epoch, std::span<const TrainEvent> trains, device::Stream stream);
  void widen_ring(std::size_t kept, std::size_t count, device::Stream stream);
  void make_room(device::Stream stream);
  void grow(std::uint64_t pieces, std::uint64_t events);
  DeliveryArrays arrays();

  DeviceMemory* memory_ = nullptr;
  std::size_t cells_ = 0;
  network::Boundaries boundaries_;  ///< with the clock on the device
  std::uint64_t most_entries_ = 0;  ///< of a spike
  std::uint64_t most_pieces_ = 0;
  std::size_t connection_bytes_ = 0;
  DeviceView<unsigned> targets_, slots_, ranks_;
  DeviceView<double> weights_, delays_ms_;
  DeviceView<ConnectionTable> tables_;
  DeviceView<InstanceAddress> instances_;
  DeviceView<Run> runs_;
  DeviceView<unsigned> run_begin_;

  SpikeWindow window_;
  DeviceView<Spike> spikes_;          ///< a ring of a power of two
  PinnedArray<Spike> new_spikes_[2];  ///< of two epochs that are under way
  unsigned new_ = 0;                  ///< which of them was taken in last
  device::Array<Spike> new_spikes_there_;
  device::Array<TrainEvent> train_events_;

  DeviceView<Piece> pieces_;
  DeviceView<Event> events_;
  DeviceView<EventOrigin> origins_;
  DeviceView<SpilledEvent> spilled_;
  DeviceView<double> clock_ms_;
  DeviceView<unsigned> counts_, begin_, end_, long_cells_;
  DeviceView<DeliveryTotals> totals_;  ///< of epochs with even and with odd numbers
  DeviceView<DeliveryState> state_;
  unsigned* spike_count_ = nullptr;
  network::Resumed resumed_;
  DeliveryWork work_{};
  std::size_t new_count_ = 0;        ///< of spikes that were taken in last
  const Spike* new_ones_ = nullptr;  ///< where the device has them itself, or null
};

}  // namespace hillock::simulator::on_device
