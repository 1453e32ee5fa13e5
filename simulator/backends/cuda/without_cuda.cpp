// What stands in for this folder in a build without CUDA.

#include "simulator/backends/cuda/cuda_engine.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::cuda {

std::unique_ptr<Engine> make_engine(NetworkPlan&, const EngineOptions&) {
  throw solver::DeviceUnusable("--backend cuda: this build has no CUDA");
}

}  // namespace hillock::simulator::cuda
