#pragma once
// Places in space, x, y and z in um: where cells stand, where contacts of electrodes are.

#include <array>
#include <optional>
#include <vector>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

using PlacesInSpace = std::vector<std::array<double, 3>>;

/// No place is farther from the origin on any axis.
inline constexpr double farthest_um = 1e9;

/// A list of three numbers each. what: "a list of places [x, y, z]".
std::optional<PlacesInSpace> read_triples(const Item& item, const Slot& slot, const char* what);

/// A list of [x, y, z].
std::optional<PlacesInSpace> read_places(const Item& item);

/// A CSV file with columns x, y and z, or with three columns and no header.
std::optional<PlacesInSpace> read_place_table(ReadContext& context, const Item& item);

/// One of the two, of `what` ("contacts") at least one.
std::optional<PlacesInSpace> read_places_or_table(ReadContext& context, const Item& item,
                                                  const char* what);

}  // namespace hillock::io
