#pragma once
// hillock info --time: what a run will take, from a short piece of it.

#include "simulator/command/process/loaded_model.hpp"
#include "simulator/loop/backend_choice.hpp"

namespace hillock::command {

/// Builds the network, runs it for about two seconds and prints what setting up and the whole run
/// take; writes no file. threads: 0 for as many as a run takes. Throws InvalidModel, UsageError,
/// TooLarge, NumericalFailure, Interrupted, solver::DeviceError.
void print_time(const ModelOptions& model, simulator::BackendWish backend, int threads, bool json);

}  // namespace hillock::command
