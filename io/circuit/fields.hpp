#pragma once
// Electrodes outside cells that an input drives, as stimuli of the model.

#include "io/circuit/inputs.hpp"

namespace hillock::io::circuit {

/// Adds what an input of bmtk's `xstim` does to the cells with a cable: electrodes of one point or
/// of a mesh, a waveform for all. What is wrong is reported.
void read_xstim(const Wiring& wiring, const Item& input, const std::string& name,
                const NodeChoice& chosen, ModelParts& model);

}  // namespace hillock::io::circuit
