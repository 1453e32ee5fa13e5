#pragma once
// What `potential:` of a recording says: contacts, the medium, how compartments count.

#include <memory>
#include <optional>

#include "io/model/context/read_context.hpp"
#include "io/model/values/value_reader.hpp"
#include "models/potential.hpp"

namespace hillock::io {

/// `conductivity`, one number or one for each axis, and `minimum_distance`.
void read_medium(ValueReader& read, const std::optional<Item>& conductivity,
                 const std::optional<Item>& minimum_distance, models::Potential& to);

/// Null after an error.
std::shared_ptr<const models::Potential> read_potential(ReadContext& context, const Item& item);

}  // namespace hillock::io
