#pragma once
// The voltages of gap junctions on a device: from one end to the other before every step, to other
// ranks and from them through pinned memory of the host.

#include <memory>
#include <span>
#include <vector>

#include "network/gap_pairs.hpp"
#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/backends/cuda/device_program.hpp"
#include "simulator/backends/cuda/pinned.hpp"

namespace hillock::simulator::cuda {

class DeviceGaps {
 public:
  DeviceGaps() = default;
  /// voltages: outlives this.
  explicit DeviceGaps(const network::GapVoltages& voltages);

  /// All at t = 0, [GapVoltages::size()] mV: cells are begun with them. Until put() alone.
  std::span<double> at_first_mV() { return first_mV_; }
  /// Puts the voltages of t = 0 onto the device. programs: have all ends of this rank.
  void put(const std::vector<std::unique_ptr<DeviceProgram>>& programs, DeviceMemory& memory);

  /// Those that leave the rank, in host memory: as of the last publish(), once the stream has done
  /// it.
  std::span<const double> leaving_mV() const;
  /// Copies those that come to the rank to where the next read() finds them, and no other is under
  /// way.
  void take(std::span<const double> coming_mV);

  /// Before a step: puts voltages where the other ends read them.
  void read(cudaStream_t stream) const;
  /// After a step: takes the voltages of all ends.
  void publish(cudaStream_t stream);

 private:
  const network::GapVoltages* voltages_ = nullptr;
  std::vector<double> first_mV_;
  DeviceView<GapAddress> publishing_, reading_;
  DeviceView<double> mV_;  ///< of all, numbered as GapVoltages does
  PinnedArray<double> leaving_mV_, coming_mV_;
};

}  // namespace hillock::simulator::cuda
