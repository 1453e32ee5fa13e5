#pragma once
// Reads a YAML model file into models::Network: values in base units, every error with its place.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics.hpp"
#include "core/signature.hpp"
#include "io/columns/part.hpp"
#include "io/model/mechanism_files.hpp"
#include "models/network.hpp"

namespace hillock::io {

struct ReadOptions {
  /// The model's text where it lies in no file: `file` then is what places call it, and what it
  /// names is looked for in the working directory. Null: it is read from `file`.
  const std::string* text = nullptr;
  /// "run.duration" → "1s": values that replace the file's, as `--set` gives them.
  std::vector<std::pair<std::string, std::string>> overrides;
  /// Where `library:` names are looked up.
  std::filesystem::path library;
  /// Checks the .mod files of `mechanisms:`. Without it they are errors.
  CheckMechanism check_mechanism;
  /// The program hillock-read-columns. Empty: the one beside this program or library.
  std::filesystem::path column_reader;
  /// The part of the rows of each list of connections that is read and checked: on one of several
  /// ranks, which then deal them out. Gap junctions' are read whole.
  Part list_part = {};
};

/// Reads and checks a model. `signatures` are of the built-in mechanisms. Errors and warnings are
/// added to `diagnostics`; when there are errors the network returned must not be used. Throws
/// InputOutputError when the file itself cannot be read.
models::Network read_model(const std::filesystem::path& file, const Signatures& signatures,
                           const ReadOptions& options, Diagnostics& diagnostics);

}  // namespace hillock::io
