#pragma once
// Reads a model for a subcommand: where the library lies, overrides, warnings.

#include <filesystem>
#include <string>
#include <vector>

#include "core/diagnostics.hpp"
#include "mechanisms/registry.hpp"
#include "models/network.hpp"

namespace hillock::command {

struct ModelOptions {
  std::string file;
  std::vector<std::string> overrides;  ///< "run.duration=1s"
};

struct LoadedModel {
  models::Network network;
  mechanisms::Registry mechanisms;
  std::vector<Diagnostic> warnings;
};

/// Reads and checks a model. Throws InvalidModel, InputOutputError, and UsageError for an override
/// that is not KEY=VALUE.
LoadedModel load_model(const ModelOptions& options);

/// The folder that `library:` names mean: $HILLOCK_LIBRARY, else ../share/hillock/library beside
/// the program, else the source tree's.
std::filesystem::path library_folder();

}  // namespace hillock::command
