// What stands in for backends/device in a build without CUDA.

#include "simulator/backends/device/device_engine.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

std::unique_ptr<Engine> make_engine(NetworkPlan&, const EngineOptions&) {
  throw solver::DeviceUnusable("--backend cuda: this build has no CUDA");
}

std::string describe_kernel_compiler() {
  return "none, this build has no CUDA";
}

}  // namespace hillock::simulator::on_device
