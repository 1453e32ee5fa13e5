#pragma once
// The rows of lists, of which every rank has read a part, brought to the ranks that have the target
// cells.

#include "models/network.hpp"
#include "network/placement.hpp"
#include "network/ranks.hpp"

namespace hillock::network {

/// Every list that leads to synapses has afterwards the rows onto this rank's cells, in the order
/// of the whole list; gap junctions', which every rank has read whole, stay. Before, all ranks
/// together have each row once, those of a rank behind those of the rank before it. All ranks call
/// it together. Memory: this rank's part twice, or once with its own rows.
void deal_rows(Ranks& ranks, const Placement& placement, models::Network& network);

}  // namespace hillock::network
