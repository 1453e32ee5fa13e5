#pragma once
// What a connection rule would make, told from the rule and at most a thousand pairs.

#include <cstddef>
#include <cstdint>

#include "models/network.hpp"

namespace hillock::network {

/// How many pairs of different cells there are, or of any where cells may connect to themselves.
std::uint64_t allowed_pairs(const models::Projection& projection);

/// How many connections a projection has, from the rule: of pairwise_bernoulli a mean, of which the
/// probability of at most a thousand pairs is known. Throws InvalidModel when one of these lies
/// outside 0 to 1.
double expected_connection_count(const models::Network& network, std::size_t projection);

struct ExpectedConnections {
  double count = 0;
  bool is_exact = true;          ///< false: a mean
  double shortest_delay_ms = 0;  ///< 0 without connections
  double longest_delay_ms = 0;
  bool delay_is_exact = true;  ///< false: of the pairs that were looked at
};

/// Cost does not grow with the number of connections, but with that of a list's rows and of cells.
/// Throws InvalidModel as expected_connection_count() and, for the connections of those pairs, as
/// Connector::connection().
ExpectedConnections expect_connections(const models::Network& network, std::size_t projection);

}  // namespace hillock::network
