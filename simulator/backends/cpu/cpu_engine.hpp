#pragma once
// All cells of the CPU backend: groups of lanes, a range of them at a time on every thread.

#include <memory>
#include <vector>

#include "simulator/backends/engine.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator::cpu {

struct EngineOptions {
  int threads = 1;
  Activity* activity = nullptr;  ///< told of connections and ranges; must not be null
  int side_by_side = 0;          ///< cells, 1, 4 or 8; 0: what suits
};

/// Has every range of the plan made by the thread that lays it out, and keeps none of them. The
/// plan's cells and what is the same for all of the run must outlive the engine. Throws
/// InvalidModel.
std::unique_ptr<Engine> make_engine(NetworkPlan& plan, const EngineOptions& options);

}  // namespace hillock::simulator::cpu
