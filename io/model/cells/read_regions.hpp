#pragma once
// Reads a cell's `regions:`, what stands in which part of its membrane.

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Adds the settings of each entry to the cell's, and gives the morphology the diameters that they
/// set. `info` has the cell's shape, and learns names, mechanisms and ions.
void read_regions(ReadContext& context, const Item& item, models::CableCell& cell, CellInfo& info);

}  // namespace hillock::io
