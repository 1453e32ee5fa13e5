#pragma once
// Turns a SONATA circuit with its simulation into a model: a text, and data files that it names.
// What a configuration means is what bmtk's BioNet makes of it (docs/sonata.md).

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/errors/diagnostics.hpp"
#include "core/mechanism/signature.hpp"
#include "io/circuit/origins.hpp"
#include "io/model/context/mechanism_files.hpp"

namespace hillock::io::circuit {

struct ImportOptions {
  const Signatures& signatures;    ///< of the built-in mechanisms
  CheckMechanism check_mechanism;  ///< of the circuit's own
  /// The program hillock-read-columns. Empty: the one beside this program or library.
  std::filesystem::path column_reader = {};
  /// What the names of data files begin with.
  std::string data_folder = "circuit";
  /// Names of files are relative to this folder. Empty: to that of the configuration.
  std::filesystem::path names_from = {};
};

struct ImportedCircuit {
  std::string text;                          ///< of the model
  std::map<std::string, std::string> files;  ///< by the names that the text has
  Origins origins;
};

/// Whether a file is the configuration of a simulation or circuit, whatever it is called: JSON with
/// one of their sections. A model may be JSON, too.
bool is_configuration(const std::filesystem::path& file);

/// Whether a text looks like one.
bool may_be_configuration(std::string_view text);

/// config: of a simulation, or of a file that names it and its network. Errors and warnings, with
/// their places in the circuit's files, are added to `diagnostics`; after errors what is returned
/// must not be used. Throws InputOutputError where a file cannot be read that HDF5 takes apart, and
/// where the configuration itself cannot be.
ImportedCircuit import_circuit(const std::filesystem::path& config, const ImportOptions& options,
                               Diagnostics& diagnostics);

}  // namespace hillock::io::circuit
