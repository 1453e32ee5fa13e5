#pragma once
// What each rank of a run takes at most, in bytes, as `info --ranks` tells and as it is compared
// with HILLOCK_MEMORY.

#include <cstdint>
#include <vector>

#include "models/network.hpp"
#include "simulator/ranks/rank_loads.hpp"

namespace hillock::command {

/// [rank]. program: what this process had when it had read the model, lists of connections whole.
std::vector<std::uint64_t> bytes_of_ranks(const models::Network& network,
                                          const simulator::RankLoads& loads, std::uint64_t program);

}  // namespace hillock::command
