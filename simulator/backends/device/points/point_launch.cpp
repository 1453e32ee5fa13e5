#include "simulator/backends/device/points/point_launch.hpp"

#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/points/point_source.hpp"

namespace hillock::simulator::on_device {

void launch_points(device::Stream stream, device::Kernel kernel, unsigned blocks,
                   std::initializer_list<void*> arguments) {
  if (blocks == 0) return;
  device::launch(kernel, {blocks, point_block_threads}, const_cast<void**>(arguments.begin()),
                 stream);
}

}  // namespace hillock::simulator::on_device
