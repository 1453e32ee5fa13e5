#pragma once
// Reads a model with its own mechanisms, for the command and for Python.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "io/circuit/circuit.hpp"
#include "io/columns/held_arrays.hpp"
#include "io/columns/part.hpp"
#include "io/yaml/override.hpp"
#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::io {
class KnownMorphologies;
}

namespace hillock::session {

struct ModelSource {
  std::string file;
  std::optional<std::string> text;               ///< of the model, instead of the file's
  std::map<std::string, std::string> files;      ///< by name, files that lie in memory
  std::map<std::string, io::HeldArrays> arrays;  ///< the same of HDF5 files
  std::vector<io::Override> overrides;
  std::filesystem::path library;  ///< what `library:` names mean
  io::Part lists = {};            ///< which part of the rows of each list of connections
  std::shared_ptr<io::KnownMorphologies> known_morphologies;  ///< io::ReadOptions
};

/// A mechanism that a model brings.
struct OwnMechanism {
  std::string name;
  std::string file;
  bool replaces_builtin = false;  ///< a built-in one has this name
};

struct LoadedModel {
  models::Network network;
  std::vector<OwnMechanism> own_mechanisms;  ///< in the order of their files
  mechanisms::Registry mechanisms;
  std::vector<Diagnostic> warnings;  ///< and notes
};

/// Who hears what goes on.
struct Listener {
  simulator::Activity& activity;
  /// Compiling takes seconds. Heard on any thread, as long as the model's mechanisms live.
  std::function<void(const std::string& line)> announce;
};

/// Whether a model's own mechanisms are only checked, or there to be run.
enum class OwnMechanisms { checked, loaded };

/// Whether a model is to be run here, or only looked at.
enum class Use { looked_at, run, run_on_gpu };

/// What a SONATA circuit becomes; data: what the names of its files begin with, which are relative
/// to names_from. Throws and reports as io::circuit::import_circuit().
io::circuit::ImportedCircuit import_circuit(const std::string& config, const std::string& data,
                                            const std::filesystem::path& names_from,
                                            Diagnostics& diagnostics);

/// Reads and checks a model, or a SONATA circuit by its configuration: for a run all that
/// can be known before cells are made. Throws InvalidModel, InputOutputError.
LoadedModel load_model(const ModelSource& source, OwnMechanisms own, Use use,
                       const Listener& listener);

}  // namespace hillock::session
