#pragma once
// Connections and the spikes that are on their way, on a device: makes every epoch's events there.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "network/spikes.hpp"
#include "simulator/backends/cuda/connection_tables.hpp"
#include "simulator/backends/cuda/kernels.hpp"
#include "simulator/backends/cuda/pinned.hpp"
#include "simulator/backends/cuda/spike_window.hpp"
#include "simulator/engine.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::simulator::cuda {

class SpikeDelivery {
 public:
  SpikeDelivery() = default;
  /// Puts the tables into device memory. cells: of all programs.
  SpikeDelivery(const ConnectionTables& tables, const ConnectionTables::SlotOf& slot_of,
                std::size_t cells, double dt_ms);

  /// Whether any event can ever arrive.
  bool has_connections() const { return cells_ > 0; }

  /// Starts to make the events of an epoch, after all that was sent before: spikes are those that
  /// were made since the last call, of the whole network, trains what arrives in this epoch. What
  /// was started before must be done. Throws std::length_error when they are too many.
  void start(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
             std::span<const std::vector<TrainEvent>> trains, cudaStream_t stream);

  /// Where the events of cells are; they may move with every start().
  const unsigned* begin() const { return begin_.data(); }
  const unsigned* end() const { return end_.data(); }
  const Event* events() const { return events_.data(); }
  /// Of the last start(), when its work is done; null before the first.
  const DeliveryTotals* totals() const {
    return is_under_way_ ? totals_.data() + work_.parity : nullptr;
  }
  std::size_t bytes() const;

 private:
  void put_tables(const ConnectionTables& tables, const ConnectionTables::SlotOf& slot_of);
  void take_in(std::span<const std::vector<network::CellSpike>> spikes, cudaStream_t stream);
  void take_in(std::span<const std::vector<TrainEvent>> trains);
  void make_room(cudaStream_t stream);
  void grow(std::uint64_t pieces, std::uint64_t events);
  DeliveryArrays arrays();

  std::size_t cells_ = 0;
  double dt_ms_ = 0;
  std::uint64_t most_entries_ = 0;  ///< of a spike
  std::uint64_t most_pieces_ = 0;
  std::size_t connection_bytes_ = 0;
  solver::DeviceArray<unsigned> targets_, slots_, ranks_;
  solver::DeviceArray<double> weights_, delays_ms_;
  solver::DeviceArray<ConnectionTable> tables_;
  solver::DeviceArray<InstanceAddress> instances_;
  solver::DeviceArray<Run> runs_;
  solver::DeviceArray<unsigned> run_begin_;

  SpikeWindow window_;
  solver::DeviceArray<Spike> spikes_;  ///< a ring of a power of two
  PinnedArray<Spike> new_spikes_;
  PinnedArray<TrainEvent> train_events_;

  solver::DeviceArray<Piece> pieces_;
  solver::DeviceArray<EventPlace> places_;
  solver::DeviceArray<PieceEntry> entries_;
  solver::DeviceArray<Event> events_;
  solver::DeviceArray<unsigned> counts_, begin_, end_, long_cells_;
  solver::DeviceArray<DeliveryTotals> totals_;  ///< of epochs with even and with odd numbers
  DeliveryWork work_{};
  bool is_under_way_ = false;
  bool is_clear_ = true;  ///< no cell has an event
};

}  // namespace hillock::simulator::cuda
