#pragma once
// Locations on a cell as text or map: "soma(0.5)", "dend(*)", {of: dend, distance: [50 um, 150
// um]}.

#include <optional>

#include "io/model/context/cell_shape.hpp"
#include "io/yaml/item.hpp"
#include "models/cell.hpp"

namespace hillock::io {

/// What stands at the locations decides what a region alone means: a synapse goes to one drawn
/// location of it, a recording takes all of it.
/// Those of a projection's connections may stand in the rows of its list.
enum class LocationsFor { instances, connections, samples };

/// Reads locations and checks that they select something on a cell of `shape` (when that is known).
std::optional<models::Locations> read_locations(const Item& item, const CellShape& shape,
                                                LocationsFor use);

/// A distance range [a, b].
std::optional<std::pair<double, double>> read_distance_range(const Item& item);

/// True for names that branches, regions and tags may have: dend, dend[3], tag5.
bool is_region_name(std::string_view name);

}  // namespace hillock::io
