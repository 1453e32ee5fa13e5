#pragma once
// Inputs of bmtk's `comsol`: potentials that a finite element program computed.

#include "io/circuit/inputs.hpp"

namespace hillock::io::circuit {

/// Adds what an input of bmtk's `comsol` does to the cells with a cable: of each of its files,
/// where there are waveforms, a stationary study, a field that is linear between its nodes, times a
/// waveform's file that repeats; else a study in time that repeats, of the nearest node.
void read_comsol(const Wiring& wiring, const Item& input, const std::string& name,
                 const NodeChoice& chosen, ModelParts& model);

}  // namespace hillock::io::circuit
