#pragma once
// What `field:` of a stimulus says: where a potential outside comes from, and how it goes in time.

#include <memory>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// shape: of the cells on which it acts. Null after an error.
std::shared_ptr<const models::Field> read_field(ReadContext& context, const Item& item,
                                                const CellShape& shape);

}  // namespace hillock::io
