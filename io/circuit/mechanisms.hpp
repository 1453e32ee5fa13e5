#pragma once
// The mechanisms that a circuit's cells and synapses use: the built-in ones and those of its folder
// of .mod files, of which only the ones that are used are looked at. Such folders also hold what
// NEURON needs and nobody here, as vecevent.mod, whose C code would be refused.
//
// What a file's mechanism is called the NMODL compiler says: the word that a mechanism has may also
// stand in comments and titles of other files.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/circuit/circuit.hpp"
#include "io/circuit/config.hpp"

namespace hillock::io::circuit {

class Mechanisms {
 public:
  /// Looks for files in the folder that the configuration names. options must outlive this.
  Mechanisms(const Config& config, const ImportOptions& options);

  /// A mechanism by its name, a file's before a built-in one; null where there is none, or after an
  /// error in its file, which was reported.
  const MechanismSignature* find(const std::string& name, const Place& asked_at,
                                 Diagnostics& diagnostics);
  /// "{value} S/cm2": a number in the unit that a mechanism's parameter has; empty where it has no
  /// such parameter.
  static std::string value_text(const MechanismSignature& mechanism, const std::string& parameter,
                                const std::string& value);
  /// Files of those that were found.
  const std::set<std::filesystem::path>& used_files() const { return used_; }

 private:
  struct File {
    std::filesystem::path path;
    std::string text;
    std::optional<CheckedMechanism> checked;  ///< nothing before it was looked at
    Diagnostics found;                        ///< in it
  };
  /// The file that defines a mechanism; null where there is none. `broken` is one that has the word
  /// and cannot be understood enough to say what it defines.
  File* file_of(const std::string& name, const Place& asked_at, File*& broken);
  void check(File& file, const Place& asked_at) const;

  const ImportOptions& options_;
  std::vector<File> files_;
  std::map<std::string, MechanismSignature> read_;
  std::set<std::string> broken_;
  std::set<std::filesystem::path> used_;
};

}  // namespace hillock::io::circuit
