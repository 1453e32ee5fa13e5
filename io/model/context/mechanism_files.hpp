#pragma once
// What `io` asks of whoever understands NMODL, to read a model that names .mod files.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/mechanism/mechanism_options.hpp"
#include "core/mechanism/signature.hpp"

namespace hillock::io {

/// The .mod files in a folder, sorted; none where it cannot be read.
std::vector<std::filesystem::path> mod_files_in(const std::filesystem::path& folder);

/// A .mod file that a model names.
struct MechanismFile {
  std::string path;  ///< where it lies, and its name in messages
  const std::string& text;
  Place named_at;  ///< in the model
  /// Nothing after errors in them, which were reported.
  std::optional<MechanismOptions> options;
};

struct CheckedMechanism {
  std::string name;  ///< of the mechanism; empty when it could not be read
  Place place;       ///< of that name in the file
  std::optional<MechanismSignature> signature;  ///< nothing after errors, which were reported
};

/// The text of a file that a .mod file includes, or nothing when it cannot be read.
using ReadIncluded = std::function<std::optional<std::string>(const std::filesystem::path&)>;

using CheckMechanism =
    std::function<CheckedMechanism(const MechanismFile&, const ReadIncluded&, Diagnostics&)>;

}  // namespace hillock::io
