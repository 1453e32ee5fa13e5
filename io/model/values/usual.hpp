#pragma once
// What numbers of a kind usually are: a number far beyond that is probably in another unit than its
// writer thinks.

#include <span>
#include <string_view>

#include "io/model/values/slot.hpp"

namespace hillock::io {

/// Warns at `item` where a number is at least a thousand times beyond what is usual for its kind
/// (docs/model-file.md, "Units"); of several the first is named. each: what they are, "row".
void warn_of_unusual(const Item& item, const Slot& slot, std::span<const double> values,
                     std::string_view each = "");

}  // namespace hillock::io
