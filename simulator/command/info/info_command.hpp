#pragma once
// hillock info: what a model comes to when it is built, without running it.

#include <optional>
#include <string>

#include "simulator/command/process/loaded_model.hpp"
#include "simulator/loop/backend_choice.hpp"

namespace hillock::command {

/// Prints counts, memory and the solver to standard output; on a GPU also what its kernels come to.
/// backend: nothing for the CPU, with what the GPU that is here would solve with.
/// of_gradient: also what a derivative of the run takes (docs/gradients.md).
/// Throws InvalidModel, UsageError, solver::DeviceError.
void print_info(const ModelOptions& model, std::optional<simulator::BackendWish> backend,
                bool of_gradient, bool json);

/// Prints one cell's branches, their compartments and areas, as JSON.
/// Throws UsageError when there is no cable cell of that name.
void print_branches(const ModelOptions& model, const std::string& cell);

}  // namespace hillock::command
