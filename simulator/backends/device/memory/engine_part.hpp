#pragma once
// An engine of one kind of cells on a device, beside which there may be one of the others.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/run_again.hpp"
#include "simulator/begin/beginner.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator::on_device {

/// Of the devices that kernels are made for: Turing and newer.
inline constexpr int least_compute_capability = 75;

struct EngineOptions {
  int threads = 1;
  const begin::Beginner* beginner = nullptr;  ///< must not be null, and outlive the engine
  Activity* activity = nullptr;               ///< told of connections and ranges; must not be null
  /// The engine has all cells of the network: what launch() gets is what finish() gave.
  bool is_alone = false;
  /// Hears lines for the user: of kernels that cannot be kept.
  std::function<void(const std::string& line)> announce = {};
  /// No memory of the device is taken: for EngineReport::device alone.
  bool is_only_counted = false;
  Copies copies = {};
};

/// What kernels have to fit into.
struct DeviceLimits {
  int capability = 0;         ///< 90
  int shared_bytes = 0;       ///< that a block may have
  int multiprocessors = 132;  ///< H100's
  std::size_t cells = 1;      ///< of the run, which share them
};

/// Of the device that a run is on. Throws solver::DeviceError when there is none.
DeviceLimits limits_of_device();

/// What such an engine is given.
struct EnginePart {
  std::vector<std::size_t> ranges;  ///< of the plan: those of its cells
  std::uint64_t other_cells = 0;    ///< of the network, beside its own on the device
  /// Outlives it. Whoever gives it asks whether there was enough, when all engines are prepared.
  DeviceMemory& memory;

  /// [range] as work_of_ranges() has it.
  std::vector<std::uint64_t> work(const NetworkPlan& plan) const {
    std::vector<std::uint64_t> work;
    for (const std::size_t r : ranges) work.push_back(plan.ranges[r].work);
    return work;
  }
};

}  // namespace hillock::simulator::on_device
