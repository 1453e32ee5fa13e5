#pragma once
// Turns connection rules into connections. Every draw is keyed by what it is for, so that the
// result does not depend on the order in which, or the rank on which, connections are made.

#include <array>
#include <cstdint>
#include <functional>
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

/// Told from time to time how much of the work of connect() is done, from 0 to 2 for each
/// connection: pairs are chosen first, then get their weights and delays.
using ConnectProgress = std::function<void(std::uint64_t done)>;

/// All connections of one projection, ordered by (target, source, k).
/// Throws InvalidModel when a drawn weight or delay is not finite, or a delay is under dt.
std::vector<Connection> connect(const models::Network& network, std::size_t projection,
                                const ConnectProgress& progress = {});

/// How many connections connect() makes, from the rule: of pairwise_bernoulli a mean, of which the
/// probability of at most a thousand pairs is known. Throws InvalidModel when one of these lies
/// outside 0 to 1.
double expected_connection_count(const models::Network& network, std::size_t projection);

/// What connect() would make, from the rule and at most a thousand pairs.
struct ExpectedConnections {
  double count = 0;
  bool is_exact = true;          ///< false: a mean
  double shortest_delay_ms = 0;  ///< 0 without connections
  bool delay_is_exact = true;    ///< false: of the pairs that were looked at
};

/// Cost does not grow with the number of connections, but with that of a list's rows and of cells.
/// Throws InvalidModel as expected_connection_count() and, for the connections of those pairs, as
/// connect().
ExpectedConnections expect_connections(const models::Network& network, std::size_t projection);

/// The stream that places a connection's synapse on its target.
RandomStream place_stream(const models::Network& network, std::size_t projection,
                          const Connection& connection);

}  // namespace hillock::network
