#pragma once
// hillock export: what a model becomes, as a SONATA circuit.

#include <string>

#include "simulator/command/process/loaded_model.hpp"

namespace hillock::command {

struct ExportOptions {
  ModelOptions model;
  std::string output;  ///< a folder; empty: named after the model
  bool force = false;
};

/// Throws InvalidModel, InputOutputError.
void export_model(const ExportOptions& options);

}  // namespace hillock::command
