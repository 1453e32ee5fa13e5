#pragma once
// Models as text for the tests of the reader: files in a folder of their own, and small signatures
// like those of the built-in mechanisms.

#include <filesystem>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/mechanism/signature.hpp"
#include "io/columns/part.hpp"
#include "io/model/context/mechanism_files.hpp"
#include "io/yaml/override.hpp"
#include "models/network.hpp"

namespace hillock::io {

/// hh, hh_traub, pas, expsyn, exp2syn, and cad, which uses the ion ca.
Signatures test_signatures();

/// Takes the text of a .mod file for the name of its mechanism, of density kind with the parameter
/// gbar; "broken NAME" has an error at 1:1, "include FILE" is called as that file says.
CheckMechanism test_check();

/// A folder that exists as long as this object.
class ModelFolder {
 public:
  ModelFolder();
  ~ModelFolder();
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  /// Writes a file, making folders on the way.
  void write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct ReadResult {
  models::Network network;
  Diagnostics diagnostics;

  /// "12:3: message" of every error, without the file's name.
  std::vector<std::string> errors() const;
  std::vector<std::string> warnings() const;
};

using Overrides = std::vector<Override>;

/// Reads model.yaml of the folder, and a part of each list of connections. `library:` names are
/// looked up in its subfolder library.
ReadResult read(const ModelFolder& folder, const Overrides& overrides = {},
                const Part& list_part = {});

/// Reads a text as model.yaml in a folder of its own.
ReadResult read(const std::string& text, const Overrides& overrides = {});

/// A complete model of one cell kind `c` (soma, three dendrites, detector) and populations a and b
/// of ten cells each, to which `more` is added.
std::string with_base(const std::string& more);

}  // namespace hillock::io
