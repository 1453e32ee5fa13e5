#pragma once
// What `field:` of a stimulus says: where a potential outside comes from, and how it goes in time.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Nothing after an error.
std::optional<models::Field> read_field(ReadContext& context, const Item& item);

}  // namespace hillock::io
