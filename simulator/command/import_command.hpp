#pragma once
// hillock import: a SONATA circuit as a model file.

#include <string>

namespace hillock::command {

struct ImportOptions {
  std::string config;                 ///< of a simulation
  std::string output = "model.yaml";  ///< its data files lie in a folder beside it
  bool force = false;
};

/// Throws InvalidModel, InputOutputError.
void import_model(const ImportOptions& options);

}  // namespace hillock::command
