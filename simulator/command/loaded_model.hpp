#pragma once
// Reads a model for a subcommand: where the library lies, overrides, warnings.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics.hpp"
#include "io/columns/part.hpp"
#include "mechanisms/registry.hpp"
#include "models/network.hpp"

namespace hillock::command {

struct ModelOptions {
  std::string file;
  std::optional<std::string> text;     ///< where the model lies in no file; `file` is its name then
  std::vector<std::string> overrides;  ///< "run.duration=1s"
};

struct LoadedModel {
  models::Network network;
  mechanisms::Registry mechanisms;
  std::vector<Diagnostic> warnings;
};

/// Whether a model's own mechanisms are only checked, or compiled and loaded.
enum class OwnMechanisms { checked, loaded };

/// Whether a model is to be run here, or only looked at.
enum class Use { looked_at, run, run_on_gpu };

/// Reads and checks a model: for a run all that can be known before cells are made. lists: which
/// part of the rows of each list of connections. Throws InvalidModel, InputOutputError,
/// CompilationFailed, and UsageError for an override that is not KEY=VALUE.
LoadedModel load_model(const ModelOptions& options, OwnMechanisms own, Use use,
                       io::Part lists = {});

/// Tells the user what happens while mechanisms are loaded: compiling takes seconds.
void announce(const std::string& line);

/// The folder that `library:` names mean: $HILLOCK_LIBRARY, else ../share/hillock/library beside
/// the program, else the source tree's. Throws UsageError when the first is no folder.
std::filesystem::path library_folder();

}  // namespace hillock::command
