#pragma once
// Reads a model for a subcommand: where the library lies, overrides, warnings.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/columns/part.hpp"
#include "simulator/session/loaded_model.hpp"

namespace hillock::command {

using session::LoadedModel;
using session::OwnMechanisms;
using session::Use;

struct ModelOptions {
  std::string file;
  std::vector<std::string> overrides;  ///< "run.duration=1s"
  /// Of a model that lies in no file; `file` is its name then.
  std::optional<std::string> text = {};
};

/// Throws UsageError for an override that is not KEY=VALUE.
session::ModelSource source_of(const ModelOptions& options);

/// As session::load_model(). lists: which part of the rows of each list of connections. Throws also
/// UsageError for an override that is not KEY=VALUE.
LoadedModel load_model(const ModelOptions& options, OwnMechanisms own, Use use,
                       io::Part lists = {});

/// Tells the user what happens while mechanisms are loaded: compiling takes seconds.
void announce(const std::string& line);

/// The folder that `library:` names mean: $HILLOCK_LIBRARY, else ../share/hillock/library beside
/// the program, else the source tree's. Throws UsageError when the first is no folder.
std::filesystem::path library_folder();

}  // namespace hillock::command
