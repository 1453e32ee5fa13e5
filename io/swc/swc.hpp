#pragma once
// Reads SWC morphologies. Not here: cutting branches into compartments (solver/cable).

#include <string>
#include <string_view>

#include "core/errors/diagnostics.hpp"
#include "io/morphology/measures.hpp"
#include "models/morphology.hpp"

namespace hillock::io {

/// How the samples of type 1 become a soma, and what a neurite's first cable joins.
enum class SomaRule {
  neuron8,      ///< as NEURON 8's Import3d reads SWC
  neuromorpho,  ///< NeuroMorpho.org's convention: one or three samples are a cylinder of equal area
  literal,      ///< samples are taken as they stand: every sample-to-parent pair is a frustum
};

/// Reads the text of an SWC file. Problems go to `diagnostics` with the file's line and column;
/// the morphology is empty when there was an error.
/// file: the name used in messages.
models::Morphology read_swc(std::string_view text, const std::string& file, SomaRule rule,
                            const Measures& measures, Diagnostics& diagnostics);

}  // namespace hillock::io
