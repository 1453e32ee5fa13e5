#pragma once
// Parts of populations and of lists of points as text: "exc", "exc[3]", "exc[0:10]", "exc[5:]".

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Reads a slice and marks its population as used. Of a population whose size is unknown (its own
/// error was reported) ranges are not checked.
std::optional<models::PopulationSlice> read_slice(ReadContext& context, const Item& item);

/// Reads a part of a list of points. Nothing after an error, also where the list has one of its
/// own.
std::optional<models::PointSlice> read_point_slice(ReadContext& context, const Item& item);

/// True when some cell belongs to both.
bool overlap(const models::PopulationSlice& a, const models::PopulationSlice& b);

}  // namespace hillock::io
