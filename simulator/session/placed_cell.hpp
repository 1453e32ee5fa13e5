#pragma once
// One cell of a network where it stands.

#include <cstdint>
#include <vector>

#include "models/network.hpp"
#include "solver/potential/current_sources.hpp"

namespace hillock::session {

/// Where the compartments of a cell with a cable are, in the order of its branches. Throws
/// InvalidModel.
std::vector<solver::CurrentSource> placed_compartments(const models::Network& network,
                                                       PopulationId population, std::uint64_t cell);

}  // namespace hillock::session
