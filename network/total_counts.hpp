#pragma once
// fixed_total_number target by target: how many of all the connections each one has.

#include <cstdint>
#include <vector>

#include "network/connection_draws.hpp"
#include "network/placement.hpp"
#include "network/runner.hpp"

namespace hillock::network {

/// Of `connect.number` pairs drawn from all that a projection allows, with or without repetition,
/// how many lead to each of some targets of its slice, in their order. The number is divided
/// between halves of the targets, and again, each time by draws of its own: so a few targets cost
/// no more than a path to them. Throws InvalidModel where one target has 2^32 of them or more.
std::vector<std::uint32_t> counts_of_total(const models::Projection& projection,
                                           const ConnectionDraws& draws, const CellSet& targets,
                                           const Runner& run);

}  // namespace hillock::network
