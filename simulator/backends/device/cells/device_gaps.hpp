#pragma once
// The values of gap junctions on a device: from one end to the other before every step, to other
// ranks and from them through pinned memory of the host.

#include <memory>
#include <span>
#include <vector>

#include "network/gap_pairs.hpp"
#include "simulator/backends/device/cells/device_program.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/memory/pinned.hpp"

namespace hillock::simulator::on_device {

class DeviceGaps {
 public:
  DeviceGaps() = default;
  /// values: outlives this.
  explicit DeviceGaps(const network::GapValues& values);

  /// All at t = 0, [GapValues::size()]: cells are begun with them. Until put() alone.
  std::span<double> at_first() { return first_values_; }
  /// Puts the values of t = 0 onto the device. programs: have all ends of this rank.
  void put(const std::vector<std::unique_ptr<DeviceProgram>>& programs, DeviceMemory& memory);

  /// Those that leave the rank, in host memory: as of the last publish(), once the stream has done
  /// it.
  std::span<const double> leaving() const;
  /// Copies those that come to the rank to where the next read() finds them, and no other is under
  /// way.
  void take(std::span<const double> coming);

  /// Before a step: puts values where the other ends read them.
  void read(device::Stream stream) const;
  /// After a step: takes the values of all ends.
  void publish(device::Stream stream);

 private:
  const network::GapValues* numbering_ = nullptr;
  std::vector<double> first_values_;
  DeviceView<GapAddress> publishing_, reading_;
  DeviceView<double> values_;  ///< of all, numbered as GapValues does
  PinnedArray<double> leaving_values_, coming_values_;
};

}  // namespace hillock::simulator::on_device
