#pragma once
// All cells of a run on a device, with a membrane or without. A build without CUDA has
// backends/none in its place.

#include <memory>
#include <string>

#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::on_device {

/// Has every range of the plan made. Engine::prepare() begins the cells at t = 0 on the CPU and
/// puts them onto the device. The plan's cells and what is the same for all of the run must outlive
/// the engine. Throws InvalidModel, solver::DeviceUnusable and solver::DeviceError; prepare() also
/// KernelRefused, UnsupportedOnDevice, and solver::DeviceExhausted when memory does not suffice.
std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options);

/// What compiles the kernels: "NVRTC 13.0"; "none, ..." says why nothing does.
std::string describe_kernel_compiler();

}  // namespace hillock::simulator::on_device
