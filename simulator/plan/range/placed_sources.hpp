#pragma once
// The sources of a cell's membrane currents where they are in the network.

#include <cstdint>
#include <span>
#include <vector>

#include "models/network.hpp"
#include "solver/potential/current_sources.hpp"

namespace hillock::simulator {

/// Of some nodes of a cell with a cable. index: the cell's in its population; cut: what its shape
/// was cut into.
std::vector<solver::CurrentSource> placed_sources(const models::Network& network,
                                                  PopulationId population, std::uint64_t index,
                                                  const solver::Template& cut,
                                                  std::span<const NodeId> nodes);

/// The same of all compartments of a cell, in the order of its branches, cut here. Throws
/// InvalidModel.
std::vector<solver::CurrentSource> placed_compartments(const models::Network& network,
                                                       PopulationId population,
                                                       std::uint64_t index);

}  // namespace hillock::simulator
