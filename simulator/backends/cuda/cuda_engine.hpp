#pragma once
// All cells of the CUDA backend: programs of cells that share their mechanisms, one kernel an epoch
// each. A build without CUDA has without_cuda.cpp in its place.

#include <memory>

#include "simulator/activity.hpp"
#include "simulator/engine.hpp"
#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator::cuda {

struct EngineOptions {
  int threads = 1;
  Activity* activity = nullptr;  ///< told of connections and ranges; must not be null
  /// The engine has all cells of the network: what launch() gets is what finish() gave. It then
  /// begins an epoch while the one before still runs.
  bool is_alone = false;
};

/// Has every range of the plan made, begins its cells at t = 0 on the CPU, and puts them onto the
/// device. The plan's cells and what is the same for all of the run must outlive the engine. Throws
/// InvalidModel, solver::DeviceError, and UnsupportedOnDevice for what a device cannot do yet.
std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options);

}  // namespace hillock::simulator::cuda
