#pragma once
// Where the cells of a population lie.

#include <array>
#include <vector>

#include "core/ids.hpp"
#include "models/network.hpp"
#include "network/runner.hpp"

namespace hillock::network {

/// Where the cells of a population lie, um. [axis][cell]
std::array<std::vector<double>, 3> positions(const models::Network& network,
                                             PopulationId population,
                                             const Runner& run = one_by_one);

/// Where one of them lies, um.
std::array<double, 3> position_of(const models::Network& network, PopulationId population,
                                  std::uint64_t cell);

}  // namespace hillock::network
