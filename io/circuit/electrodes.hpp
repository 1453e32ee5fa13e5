#pragma once
// Clamps of a simulation's inputs as stimuli of the model.

#include "io/circuit/inputs.hpp"

namespace hillock::io::circuit {

/// Whether inputs of IClamp may have this input_type.
bool is_current(const std::string& input_type);

/// Adds the currents of an IClamp. Into cells with a membrane they are what BioNet injects with
/// NEURON, in nA, into neurons of NEST's what PointNet injects, in pA. What is wrong is reported.
void read_current_clamp(const Wiring& wiring, const Item& input, const std::string& name,
                        const NodeChoice& chosen, ModelParts& model);

/// Adds the voltage clamps of an SEClamp.
void read_voltage_clamp(const Wiring& wiring, const Item& input, const std::string& name,
                        const NodeChoice& chosen, ModelParts& model);

}  // namespace hillock::io::circuit
