#pragma once
// An engine of one kind of cells on a device, beside which there may be one of the others.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator::cuda {

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

}  // namespace hillock::simulator::cuda
