#pragma once
// All cells of the CUDA backend, with a membrane or without. A build without CUDA has
// without_cuda.cpp in its place.

#include <functional>
#include <memory>
#include <string>

#include "simulator/backends/engine.hpp"
#include "simulator/plan/network_plan.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator::cuda {

/// Of the devices that kernels are made for: Turing and newer.
inline constexpr int least_compute_capability = 75;

struct EngineOptions {
  int threads = 1;
  Activity* activity = nullptr;  ///< told of connections and ranges; must not be null
  /// The engine has all cells of the network: what launch() gets is what finish() gave.
  bool is_alone = false;
  /// Hears lines for the user: of kernels that cannot be kept.
  std::function<void(const std::string& line)> announce = {};
  /// No memory of the device is taken: for EngineReport::device alone.
  bool is_only_counted = false;
};

/// Has every range of the plan made. Engine::prepare() begins the cells at t = 0 on the CPU and
/// puts them onto the device. The plan's cells and what is the same for all of the run must outlive
/// the engine. Throws InvalidModel, solver::DeviceUnusable and solver::DeviceError; prepare() also
/// KernelRefused, UnsupportedOnDevice, and solver::DeviceExhausted when memory does not suffice.
std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options);

}  // namespace hillock::simulator::cuda
