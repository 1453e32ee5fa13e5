// What stands in for backends/device in a build without CUDA.

#include "simulator/backends/device/device_engine.hpp"
#include "simulator/backends/device/taped/taped_batch.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::on_device {

std::unique_ptr<Engine> make_engine(NetworkPlan&, const EngineOptions&) {
  throw solver::DeviceUnusable("--backend cuda: this build has no CUDA");
}

std::unique_ptr<taped::TapedBatch> make_taped_batch(const taped::BatchOfCells&) {
  throw solver::DeviceUnusable("--backend cuda: this build has no CUDA");
}

std::string describe_kernel_compiler() {
  return "none, this build has no CUDA";
}

}  // namespace hillock::simulator::on_device
