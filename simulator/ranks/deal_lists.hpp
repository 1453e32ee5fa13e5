#pragma once
// What ranks have read of lists, brought to where it is needed before a simulation is made.

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "network/agreement.hpp"
#include "network/ranks.hpp"

namespace hillock::simulator {

/// Of several ranks each has read a part of every list of connections, and has afterwards the rows
/// onto its own cells. All call it together. Throws RankFailed on all when it fails on one.
void deal_lists(network::Ranks& ranks, const network::TellFailure& tell,
                const mechanisms::Registry& mechanisms, models::Network& network);

}  // namespace hillock::simulator
