#pragma once
// Reads a `morphology:` that is a file, with the keys that go with one.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

enum class MorphologyFormat { swc, asc };

/// map: the morphology's, in which the file was found.
std::optional<models::Morphology> read_morphology_file(ReadContext& context, MapReader& map,
                                                       MorphologyFormat format,
                                                       const Item& file_item);

/// Makes the keys that go with a file known.
void allow_keys_of_files(MapReader& map);

}  // namespace hillock::io
