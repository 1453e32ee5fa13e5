#pragma once
// The configuration of a simulation together with that of its circuit.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

class Config {
 public:
  /// Reads a simulation's configuration and the circuit's that it names, or those that a file with
  /// `simulation` and `network` names. Variables of their manifests are put in. Nothing after an
  /// error. Throws InputOutputError where `path` itself cannot be read.
  static std::optional<Config> read(const std::filesystem::path& path, JsonFiles& files);

  /// A section, "run": the simulation's, else the circuit's.
  std::optional<Item> find(const std::string& section) const;
  /// A section's value.
  std::optional<Item> find(const std::string& section, const std::string& key) const;
  /// Of the run.
  double step_ms() const;
  /// Where the configuration begins, for what is missing in it.
  const Item& root() const { return roots_.front(); }

 private:
  std::vector<Item> roots_;
};

/// The file or folder that a value names, relative to the file that it stands in.
std::filesystem::path path_of(const Item& item);

}  // namespace hillock::io::circuit
