#pragma once
// Reads `plasticity:` of a projection.

#include <optional>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

/// Reads `{stdp: {w_max: 2, …}}`, where weights have the unit of `weight`.
std::optional<models::Stdp> read_plasticity(const Item& item, const Slot& weight);

}  // namespace hillock::io
