#pragma once
// A run's state among ranks: brought to the first one to be saved, and dealt out to be gone on
// from.

#include "core/state/state.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "network/ranks.hpp"

namespace hillock::simulator {

/// All ranks call these together.

/// What the ranks' cells have, joined on rank 0; elsewhere nothing. own: null of a rank that could
/// not save. Throws StateMismatch on rank 0 where a part is missing.
State gather_state(network::Ranks& ranks, const State* own);

/// What this rank's cells have of a whole state, which rank 0 has. whole: null elsewhere. Throws
/// StateMismatch where a cell is not there: on rank 0 for any rank, which then gets nothing.
State deal_out_state(network::Ranks& ranks, const network::Placement& placement,
                     const models::Network& network, const State* whole);

}  // namespace hillock::simulator
