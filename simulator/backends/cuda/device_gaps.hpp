#pragma once
// The voltages of gap junctions on a device: from one end to the other before every step.

#include <memory>
#include <span>
#include <vector>

#include "network/gap_pairs.hpp"
#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/backends/cuda/device_program.hpp"

namespace hillock::simulator::cuda {

class DeviceGaps {
 public:
  DeviceGaps() = default;
  /// Of all programs of a rank. memory: outlives this.
  DeviceGaps(const std::vector<std::unique_ptr<DeviceProgram>>& programs,
             const network::GapVoltages& voltages, DeviceMemory& memory);

  /// Takes the voltages that are published from where the programs' last epoch left them.
  void publish(cudaStream_t stream) const;
  /// Puts voltages where instances read them: those that were published, or what take() got.
  void read(bool are_own, cudaStream_t stream) const;

  /// What was published last, on the host. Stays until the next call.
  std::span<const double> published_mV(cudaStream_t stream);
  /// While the device waits.
  void take(std::span<const double> read_mV) const { read_mV_.upload(read_mV); }

 private:
  DeviceView<GapAddress> publishing_, reading_;
  DeviceView<double> published_mV_, read_mV_;
  std::vector<double> on_host_mV_;
};

}  // namespace hillock::simulator::cuda
