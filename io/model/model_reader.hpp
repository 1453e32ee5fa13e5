#pragma once
// Reads a YAML model file into models::Network: values in base units, every error with its place.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/mechanism/signature.hpp"
#include "io/columns/held_arrays.hpp"
#include "io/columns/part.hpp"
#include "io/model/context/mechanism_files.hpp"
#include "io/yaml/override.hpp"
#include "models/network.hpp"

namespace hillock::io {

class KnownMorphologies;

struct ReadOptions {
  /// The model itself, where it does not lie in its file: names in it are relative to where that
  /// would lie.
  std::optional<std::string> text;
  /// By name: files that lie in memory. A model that names one of them gets it, whatever lies on
  /// the disk.
  std::map<std::string, std::string> files;
  /// The same of HDF5 files, whose arrays lie in memory as long as the model is read.
  std::map<std::string, HeldArrays> arrays;
  /// Values that replace the file's, as `--set` gives them.
  std::vector<Override> overrides;
  /// Where `library:` names are looked up.
  std::filesystem::path library;
  /// Checks the .mod files of `mechanisms:`. Without it they are errors.
  CheckMechanism check_mechanism;
  /// The program hillock-read-columns. Empty: the one beside this program or library.
  std::filesystem::path column_reader;
  /// The part of the rows of each list of connections that is read and checked: on one of several
  /// ranks, which then deal them out. Gap junctions' are read whole.
  Part list_part = {};
  /// Those of readings before, which get what is read now. Null: there are none.
  std::shared_ptr<KnownMorphologies> known_morphologies;
};

/// Reads and checks a model. `signatures` are of the built-in mechanisms. Errors and warnings are
/// added to `diagnostics`; when there are errors the network returned must not be used. Throws
/// InputOutputError when the file itself cannot be read, or is too large.
models::Network read_model(const std::filesystem::path& file, const Signatures& signatures,
                           const ReadOptions& options, Diagnostics& diagnostics);

}  // namespace hillock::io
