#pragma once
// All cells of the CPU backend: groups of lanes, a range of them at a time on every thread.

#include <memory>
#include <vector>

#include "simulator/activity.hpp"
#include "simulator/engine.hpp"
#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator::cpu {

struct EngineOptions {
  int threads = 1;
  std::int64_t epoch_steps = 1;
  Activity* activity = nullptr;  ///< told of every range; must not be null
};

/// The most cells that a group of that many cells on so many threads has side by side: 1, 4 or 8.
int widest_for(std::uint64_t cells, int threads);

/// Takes the ranges apart as it lays them out; their kinds must live until it is done. run: must
/// outlive the engine. Throws InvalidModel.
std::unique_ptr<Engine> make_engine(std::vector<RangePlan> ranges, const RunConstants& run,
                                    const EngineOptions& options);

}  // namespace hillock::simulator::cpu
