#include "simulator/backends/device/memory/engine_part.hpp"

#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

DeviceLimits limits_of_device() {
  const solver::DeviceState state = solver::judge(solver::ask_device(), least_compute_capability);
  if (state.kind != solver::DeviceState::Kind::usable)
    throw solver::DeviceUnusable("--backend cuda: " + state.why);
  const device::Machine machine = device::machine();
  return {.capability = machine.capability,
          .shared_bytes = machine.block_bytes,
          .multiprocessors = machine.multiprocessors};
}

}  // namespace hillock::simulator::on_device
