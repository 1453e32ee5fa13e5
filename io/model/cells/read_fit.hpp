#pragma once
// Reads what a cell's `fit:` names: the parameters of a neuron as the Allen Cell Types database
// gives them, `ctdb:Biophys1` of a SONATA circuit.

#include <optional>
#include <vector>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// A region setting for each section of the fit, to stand before those of the cell's `regions:`.
/// `info` has the cell's shape, and learns which mechanisms and ions it has. Regions that the
/// morphology lacks are left out, as its authors' programs do. Nothing after an error.
std::optional<std::vector<models::RegionSettings>> read_fit(ReadContext& context, const Item& item,
                                                            CellInfo& info);

}  // namespace hillock::io
