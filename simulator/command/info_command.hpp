#pragma once
// hillock info: what a model comes to when it is built, without running it.

#include <string>

#include "simulator/command/loaded_model.hpp"

namespace hillock::command {

/// Prints counts, memory and the solver to standard output. Throws InvalidModel.
void print_info(const ModelOptions& model, bool json);

/// Prints one cell's branches, their compartments and areas, as JSON.
/// Throws UsageError when there is no cable cell of that name.
void print_branches(const ModelOptions& model, const std::string& cell);

}  // namespace hillock::command
