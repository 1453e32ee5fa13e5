#pragma once
// The cell that stands for its kind where one is looked at.

#include <cstddef>

#include "models/network.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::session {

/// The first cell of the first population of that kind, or of one of a single cell where none has
/// it. cell: index in Network::cells.
solver::CutFor cut_for_first(const models::Network& network, std::size_t cell);

/// The kind's shape; of random trees that of the network's first cell.
models::Morphology shape_of_first(const models::Network& network, const models::CableCell& cell);

}  // namespace hillock::session
