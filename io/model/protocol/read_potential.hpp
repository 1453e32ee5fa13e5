#pragma once
// What `potential:` of a recording says: contacts, the medium, how compartments count.

#include <memory>

#include "io/model/context/read_context.hpp"
#include "models/potential.hpp"

namespace hillock::io {

/// Null after an error.
std::shared_ptr<const models::Potential> read_potential(ReadContext& context, const Item& item);

}  // namespace hillock::io
