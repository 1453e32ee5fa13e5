#pragma once
// hillock info --ranks: what every rank of a run would have, and whether that fits.

#include "simulator/command/process/loaded_model.hpp"

namespace hillock::command {

/// Prints what every rank would have, do and hold, and the most and the least of them, without
/// building the network. Throws InvalidModel, UsageError.
void print_ranks(const ModelOptions& model, int ranks, bool json);

}  // namespace hillock::command
