#pragma once
// A model from standard input: `hillock run - -o out < model.yaml`.

#include "simulator/command/process/loaded_model.hpp"

namespace hillock::command {

/// Where the model's file is `-`, reads its text from standard input and names it `<stdin>`. Of
/// several ranks the first reads, since launchers give standard input to no other, and tells the
/// others; all call it together. A terminal, and a pipe from which nothing comes, are told of.
/// Throws InputOutputError when nothing comes, when it cannot be read, and beyond 64 MiB.
void take_standard_input(ModelOptions& model);

/// Whether the model comes from standard input.
bool is_standard_input(const ModelOptions& model);

}  // namespace hillock::command
