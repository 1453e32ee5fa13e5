#pragma once
// Cells of one signature on a device, with the kernel that integrates them.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulator/backends/device/cells/cells.hpp"
#include "simulator/backends/device/cells/elements.hpp"
#include "simulator/backends/device/cells/membrane_columns.hpp"
#include "simulator/backends/device/cells/program_source.hpp"
#include "simulator/backends/device/delivery/kernels.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

/// What all programs of a run write to.
struct Outlets {
  DeviceView<Spike> spikes;
  DeviceView<unsigned> spike_count;
  DeviceView<Failure> failure;
  DeviceView<Recording> recordings;
};

/// The kernels of a text on the device. Programs of one text share them: copies drive each other
/// out of caches of instructions, and steps took up to twice as long (decision 0066).
class LoadedKernels {
 public:
  /// code: of write_program(). shared_bytes: that a block of any of the programs has, at most.
  LoadedKernels(const std::string& code, std::size_t shared_bytes)
      : library_(device::load(code)), shared_bytes_(shared_bytes) {}
  ~LoadedKernels() { device::drop(library_); }
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  device::Kernel find(const char* name) const;

 private:
  device::Library library_;
  std::size_t shared_bytes_;
};

class DeviceProgram {
 public:
  /// kernels: of write_program(). number: among the run's programs. memory: of the run, and
  /// outlives this. Throws solver::DeviceExhausted when the device cannot start the kernel.
  DeviceProgram(Cells&& cells, const Signature& signature, const LaunchShape& shape,
                std::shared_ptr<const LoadedKernels> kernels, const RunConstants& run,
                const Outlets& outlets, DeviceMemory& memory, unsigned number);
  ~DeviceProgram();
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;

  /// After their columns were numbered: columns[k] of the k-th sampled column.
  void set_columns(std::span<const std::size_t> columns);
  /// Where the cells' events lie: those of cell c are events[begin[c]] … events[end[c] - 1], in
  /// order. While *halted is not 0 there are no right ones, and epochs are left out.
  void set_events(const EpochEvents& events) { epoch_events_ = events; }
  void start_epoch(std::int64_t first, std::int64_t last);
  void take_samples(std::int64_t step);
  /// After an epoch of the one step that ends at `step`, when gap junctions were read again.
  /// is_known: that the epoch was not left out.
  void follow_gaps(std::int64_t step, bool is_known);
  device::Stream stream() const { return stream_; }
  /// Where the ends of gap junctions are on the device.
  const std::vector<GapAddress>& gaps_published() const { return gaps_published_; }
  const std::vector<GapAddress>& gaps_read() const { return gaps_read_; }

  /// The cells as they now are, with all that may change; and the way back. The cells are this
  /// program's until release() gives their memory back.
  Cells& fetch();
  void put_back();
  void release();

  /// Keeps all that may change as it now is, on the device; and goes back to that.
  void keep_beginning();
  void begin_again();
  /// How much more its cells feel of a field from now on. Of several copies of all cells, which lie
  /// one behind the other, the factors do, too.
  void take_factors(const FieldFactors& factors, std::size_t copies);

  const std::vector<Sampled>& samples() const { return cells_.samples; }
  const PopulationPlan& population() const { return *cells_.population; }
  std::uint64_t index_of(std::size_t cell) const { return cells_.indices[cell]; }
  const mechanisms::Mechanism& mechanism(std::size_t block) const {
    return *cells_.mechanisms[block];
  }
  /// "dend[3](0.5)": where a row of a cell is, for messages. Makes the cell again.
  std::string describe(std::size_t cell, int row) const;
  std::size_t cell_count() const { return cells_.indices.size(); }
  /// Where the arguments of a connection lie: its number in the range's block, of a cell.
  unsigned slot_of(std::size_t block, std::size_t cell, std::uint32_t connection) const;
  std::size_t bytes() const { return bytes_; }
  /// What it comes to on the device.
  DeviceKind describe_kind() const;

 private:
  class Uploader;

  void upload(const Signature& signature, const RunConstants& run, const Outlets& outlets);
  void launch(device::Kernel kernel, void** arguments) const;
  /// Of all cells.
  device::Grid grid() const;
  int teams_of_block() const { return shape_.block_threads / shape_.team; }
  int blocks_at_once(device::Kernel kernel) const;
  void check_launch(device::Kernel kernel) const;

  /// Where a block's numbers are on the device.
  struct BlockHome {
    Elements elements;
    std::vector<double*> columns;
    std::vector<char> is_one;  ///< [variable] one number for all
    std::vector<double> ones;  ///< [variable] which
    double* arguments = nullptr;
    AwaitedEvent* awaited = nullptr;
    unsigned* awaited_counts = nullptr;
    step::WatchBits* watch_bits = nullptr;
    step::ActiveWatch* watches = nullptr;
  };

  template <class Direction>
  void move_changing(const Direction& move);

  Cells cells_;                            ///< of what changes only after fetch()
  std::vector<std::uint32_t> row_counts_;  ///< [cell]
  Elements row_elements_;
  std::vector<IonArrays> ions_;
  std::vector<BlockHome> blocks_;
  std::vector<std::size_t> argument_counts_;  ///< [block] numbers
  LaunchShape shape_;
  DeviceMemory& memory_;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> words_;  ///< Arrays<Program>, the kernels' first argument
  EpochEvents epoch_events_{};
  CellArrays arrays_of_cells_{};
  std::vector<FieldInTime> fields_;  ///< as CellArrays::fields
  /// What changes, as it was: where it belongs, and where it is kept.
  struct Kept {
    void* of;
    const void* at;
    std::size_t bytes;
  };
  std::vector<Kept> beginning_;
  SampledColumn* sampled_ = nullptr;
  std::vector<SampledColumn> sampled_columns_;
  unsigned* membrane_columns_ = nullptr;  ///< as CellArrays has them
  MembraneColumns at_once_;
  std::vector<GapAddress> gaps_published_, gaps_read_;
  std::shared_ptr<const LoadedKernels> kernels_;
  device::Kernel run_epoch_ = nullptr, take_samples_ = nullptr;
  device::Kernel follow_gaps_ = nullptr;  ///< of a program with states that follow
  device::Stream stream_ = nullptr;
};

}  // namespace hillock::simulator::on_device
