#pragma once
// Private: the shape of cells as a report's file keeps it (io/sonata/sonata_shape.hpp writes it).

#include <optional>
#include <string>

#include "io/columns/confined_file.hpp"
#include "models/morphology.hpp"

namespace hillock::io::recorded {

/// Nothing where the file has none. Throws InputOutputError where what it has is no tree.
std::optional<models::Morphology> read_shape(ConfinedFile& file, const std::string& population);

}  // namespace hillock::io::recorded
