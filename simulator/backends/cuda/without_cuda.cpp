// What stands in for this folder in a build without CUDA.

#include "simulator/backends/cuda/cuda_engine.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::simulator::cuda {

std::unique_ptr<Engine> make_engine(NetworkPlan&, const EngineOptions&) {
  throw solver::DeviceError("make_engine", "--backend cuda",
                            "this build has no CUDA. Run on the CPU, or configure with a CUDA "
                            "compiler");
}

}  // namespace hillock::simulator::cuda
