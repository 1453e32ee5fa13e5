#pragma once
// Reads `nodes:` of a population: by which names its cells are known in the output.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// size: how many cells there are, where that is known. Nothing after an error.
std::optional<models::NodeIdentity> read_nodes(ReadContext& context, const Item& item,
                                               const std::optional<std::uint64_t>& size);

/// Reports nodes that two populations give to their cells, and a population of nodes that is called
/// as one of the model's.
void check_nodes(const ReadContext& context, const Item& populations);

}  // namespace hillock::io
