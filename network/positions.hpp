#pragma once
// Where the cells of a population lie.

#include <array>
#include <vector>

#include "core/ids.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "network/runner.hpp"

namespace hillock::network {

/// Where some cells of a population lie, um. [axis][place among them]
std::array<std::vector<double>, 3> positions(const models::Network& network,
                                             PopulationId population, const CellSet& cells,
                                             const Runner& run = one_by_one);

/// Where one of them lies, um.
std::array<double, 3> position_of(const models::Network& network, PopulationId population,
                                  std::uint64_t cell);

}  // namespace hillock::network
