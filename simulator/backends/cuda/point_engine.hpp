#pragma once
// All point neurons of a network on a device, where spikes reach them without the host.

#include <memory>

#include "simulator/backends/cuda/cuda_engine.hpp"

namespace hillock::simulator::cuda {

/// As make_engine(), of a network in which all cells are point neurons.
std::unique_ptr<Engine> make_point_engine(NetworkPlan& plan, const EngineOptions& options);

}  // namespace hillock::simulator::cuda
