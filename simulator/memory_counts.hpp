#pragma once
// What a run takes beside its cells and connections, in bytes, told from what they come to.

#include <cstdint>

#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator {

/// What was built of a plan.
struct Built {
  std::uint64_t groups = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t connection_bytes = 0;
  int threads = 1;
};

/// Beyond what is kept, while the last ranges are made.
std::uint64_t building_bytes(const NetworkPlan& plan, const Built& built);

/// Reports' columns, and the rows between engine and sink. under_way: epochs at once.
std::uint64_t sample_bytes(const NetworkPlan& plan, std::int64_t epoch_steps, int under_way);

}  // namespace hillock::simulator
