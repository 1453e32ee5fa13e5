#pragma once
// Reads Neurolucida morphologies (.asc). Not here: cutting branches into compartments
// (solver/cable).

#include <string>
#include <string_view>

#include "core/errors/diagnostics.hpp"
#include "io/morphology/measures.hpp"
#include "models/morphology.hpp"

namespace hillock::io {

/// Reads the text of a Neurolucida file into the sections that NEURON's Import3d makes of it
/// (docs/morphology.md). Problems go to `diagnostics` with the file's line and column; the
/// morphology is empty when there was an error.
/// file: the name used in messages.
models::Morphology read_asc(std::string_view text, const std::string& file,
                            const Measures& measures, Diagnostics& diagnostics);

}  // namespace hillock::io
