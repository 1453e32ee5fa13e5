#pragma once
// From samples to unnamed cables, one function for each soma rule. Not here: names and their order.

#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/morphology/cables.hpp"
#include "io/swc/swc_samples.hpp"

namespace hillock::io::swc {

/// Samples as NEURON 8.2.2's Import3d makes sections of them (docs/morphology.md has the rules).
std::vector<Cable> cables_as_neuron8(const std::vector<Sample>& samples, const std::string& file,
                                     Diagnostics& diagnostics);

/// Every sample and its parent bound a frustum; unbranched runs of one type are cables.
std::vector<Cable> cables_as_they_stand(const std::vector<Sample>& samples, const std::string& file,
                                        Diagnostics& diagnostics);

/// NeuroMorpho.org's convention: see docs/morphology.md.
std::vector<Cable> cables_as_neuromorpho(const std::vector<Sample>& samples,
                                         const std::string& file, Diagnostics& diagnostics);

}  // namespace hillock::io::swc
