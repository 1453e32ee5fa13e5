#pragma once
// Turns connection rules into connections. Every draw is keyed by what it is for, so that the result
// does not depend on the order in which, or the rank on which, connections are made.

#include <array>
#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "core/random.hpp"
#include "models/network.hpp"

namespace hillock::network {

/// One connection of a projection. Cells are counted within their populations.
struct Connection {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint32_t k = 0;  ///< counts the connections of one (source, target) pair
  double weight = 0;    ///< in the synapse's weight unit
  double delay_ms = 0;
};

/// Where the cells of a population lie, um. [cell]
std::vector<std::array<double, 3>> positions(const models::Network& network,
                                             PopulationId population);

/// All connections of one projection, ordered by (target, source, k).
/// Throws InvalidModel when a drawn weight or delay is not finite, or a delay is under dt.
std::vector<Connection> connect(const models::Network& network, std::size_t projection);

/// The stream that places a connection's synapse on its target.
RandomStream place_stream(const models::Network& network, std::size_t projection,
                          const Connection& connection);

}  // namespace hillock::network
