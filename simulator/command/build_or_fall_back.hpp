#pragma once
// A network made ready to run, wherever that can be.

#include <functional>
#include <memory>
#include <string>

#include "simulator/simulation.hpp"

namespace hillock::command {

/// Makes the network; where a GPU cannot run it and `may_change` allows it, on the CPU, after
/// on_cpu(why). Throws as simulator::Simulation.
std::unique_ptr<simulator::Simulation> build_or_fall_back(
    const models::Network& network, simulator::SimulationOptions settings, bool may_change,
    const std::function<void(const std::string& why)>& on_cpu);

}  // namespace hillock::command
