#pragma once
// The voltages of gap junctions on a device: from one end to the other before every step.

#include <memory>
#include <vector>

#include "network/gap_pairs.hpp"
#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/backends/cuda/device_program.hpp"

namespace hillock::simulator::cuda {

class DeviceGaps {
 public:
  DeviceGaps() = default;
  /// Of all programs, which have both ends of every junction. memory: outlives this.
  DeviceGaps(const std::vector<std::unique_ptr<DeviceProgram>>& programs,
             const network::GapVoltages& voltages, DeviceMemory& memory);

  /// Puts the voltages that the programs' last epoch left where the other ends read them.
  void join(cudaStream_t stream) const;

 private:
  DeviceView<GapAddress> publishing_, reading_;
  DeviceView<double> mV_;  ///< published, and read
};

}  // namespace hillock::simulator::cuda
