#pragma once
// Alike cells on a device with their kernels, which keep steps and go back over them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "network/spikes.hpp"
#include "simulator/backends/device/compiler/kernel_cache.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/taped/alike_cells.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/backends/taped/taped_cell.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

class TapedProgram {
 public:
  /// run, memory: outlive this. Throws as make_taped_batch().
  TapedProgram(AlikeCells&& cells, const RunConstants& run, const KernelCache& kernels,
               DeviceMemory& memory, int threads);
  ~TapedProgram();
  TapedProgram(const TapedProgram&) = delete;
  TapedProgram& operator=(const TapedProgram&) = delete;

  /// Once columns are numbered.
  void put_samples();
  /// What follows writes and reads these: of all recordings.
  void use(DeviceView<TapedRecording> recordings);
  void start_sampling();
  void start(Epoch epoch);
  void start_back();
  /// Of what was started, and adds spikes. Throws NumericalFailure.
  void finish(std::vector<network::CellSpike>& spikes);
  /// [cell] derivatives by what it began with, when that is done.
  std::vector<taped::CellDerivatives> derivatives() const;

  std::size_t kept_bytes() const { return kept_.size() * sizeof(double) + stretch_bytes_; }

 private:
  const AlikeBlock& block(std::size_t b) const { return cells_.blocks[b]; }
  template <class T>
  const T* put(const std::vector<T>& values) {
    return memory_.put<T>(values, DeviceUse::cells).data();
  }
  DeviceView<double> take(std::size_t numbers_of_cell) {
    return memory_.take<double>(numbers_of_cell * cells_.groups() * cells_.lanes(),
                                DeviceUse::cells);
  }
  /// number(cell, k): of all cells where they differ, else of the first.
  TapedNumbers put_numbers(bool differ, std::size_t size,
                           const std::function<double(std::size_t, std::size_t)>& number);
  void compile(const KernelCache& kernels);
  void put_run();
  void put_tree();
  void put_rows();
  void put_live();
  TapedBlock put_block(std::size_t b);
  void choose_kept();
  void launch(device::Kernel kernel, std::span<void*> arguments = {});

  AlikeCells cells_;
  const RunConstants& run_;
  DeviceMemory& memory_;
  int threads_;
  unsigned blocks_ahead_ = 0, blocks_back_ = 0;  ///< of a grid
  TapedHead head_{};
  std::vector<TapedTurn> turns_;  ///< TapedHead::solve
  std::vector<TapedBlock> blocks_;
  std::vector<std::uint64_t> words_;  ///< TapedArrays
  DeviceView<double> kept_, by_v_, by_coupling_, by_capacity_;
  std::vector<DeviceView<double>> back_;  ///< [block]
  std::size_t stretch_bytes_ = 0;
  DeviceView<TapedSpike> spikes_;
  DeviceView<unsigned> spike_count_;
  DeviceView<TapedFailure> failures_;
  device::Library library_ = nullptr;
  device::Kernel run_taped_ = nullptr, sample_taped_ = nullptr, go_back_ = nullptr;
  device::Stream stream_ = nullptr;
};

}  // namespace hillock::simulator::on_device
