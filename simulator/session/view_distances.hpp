#pragma once
// How often cells are connected, by how far they are apart.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "io/json/json.hpp"
#include "models/network.hpp"

namespace hillock::session {

/// Bins of distance, with the pairs of cells whose distance lies there and those of them that are
/// connected. pairs: (source, target) of all connections onto the targets given. Nothing where the
/// cells of either population have no places, or there are too many pairs to go through.
std::optional<io::Json> connected_by_distance(
    const models::Network& network, const models::Projection& projection,
    const std::vector<std::uint64_t>& targets,
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs);

}  // namespace hillock::session
