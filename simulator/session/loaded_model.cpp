#include "simulator/session/loaded_model.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors/errors.hpp"
#include "io/circuit/circuit.hpp"
#include "io/model/model_reader.hpp"
#include "mechanisms/load/loader.hpp"
#include "simulator/loop/simulation.hpp"
#include "simulator/loop/solver_choice.hpp"
#include "simulator/plan/network/arithmetic.hpp"

namespace hillock::session {

namespace {

/// The .mod files of a model that is being read.
class ModFiles {
 public:
  io::CheckMechanism checker() {
    return [this](const io::MechanismFile& file, const io::ReadIncluded& include,
                  Diagnostics& diagnostics) -> io::CheckedMechanism {
      mechanisms::ModReading reading = mechanisms::read_mod(
          file.path, file.text, include, file.options.value_or(MechanismOptions{}), diagnostics);
      if (!reading.file) return {reading.name, {}, {}};
      if (file.options && !reading.file->missing_tables.empty()) {
        report_missing_tables(*reading.file, file.named_at, diagnostics);
        return {reading.name, {}, {}};
      }
      files_.push_back(std::move(*reading.file));
      files_.back().named_at = file.named_at;
      return {reading.name, files_.back().name_place, files_.back().signature};
    };
  }

  void add_to(Signatures& signatures) const {
    for (const auto& file : files_)
      signatures.insert_or_assign(file.signature.name, file.signature);
  }

  std::vector<OwnMechanism> own(const Signatures& builtin) const {
    std::vector<OwnMechanism> all;
    for (const auto& file : files_) {
      const std::string& name = file.signature.name;
      all.push_back({name, file.path, builtin.contains(name)});
    }
    return all;
  }

  /// Throws InvalidModel where a compiler is needed and missing.
  void load_into(mechanisms::Registry& registry, models::Precision precision,
                 const Listener& listener) const {
    if (files_.empty()) return;
    for (auto& mechanism :
         mechanisms::load(files_, simulator::arithmetic_of(precision), listener.announce))
      registry.add(std::move(mechanism));
  }

 private:
  static void report_missing_tables(const mechanisms::ModFile& file, const Place& named_at,
                                    Diagnostics& diagnostics) {
    for (const auto& table : file.missing_tables)
      diagnostics.error(named_at,
                        fmt::format("FUNCTION_TABLE {} of {} has no table: give one under `tables`",
                                    table.name, file.path));
  }

  std::vector<mechanisms::ModFile> files_;
};

}  // namespace

io::circuit::ImportedCircuit import_circuit(const std::string& config, const std::string& data,
                                            const std::filesystem::path& names_from,
                                            Diagnostics& diagnostics) {
  ModFiles mods;
  const Signatures signatures = mechanisms::Registry().signatures();
  return io::circuit::import_circuit(config, {signatures, mods.checker(), {}, data, names_from},
                                     diagnostics);
}

LoadedModel load_model(const ModelSource& source, OwnMechanisms own, Use use,
                       const Listener& listener) {
  listener.activity.begin("reading " + source.file);
  ModFiles mods;
  io::ReadOptions reading;
  reading.text = source.text;
  reading.files = source.files;
  reading.arrays = source.arrays;
  reading.overrides = source.overrides;
  reading.library = source.library;
  reading.list_part = source.lists;
  reading.known_morphologies = source.known_morphologies;
  reading.check_mechanism = mods.checker();
  Diagnostics diagnostics, found;
  const bool is_circuit = !source.text && io::circuit::is_configuration(source.file);
  io::circuit::ImportedCircuit circuit;
  if (is_circuit) {
    circuit = import_circuit(source.file, "circuit", {}, diagnostics);
    diagnostics.throw_if_errors();
    reading.text = std::move(circuit.text);
    reading.files = std::move(circuit.files);
  }
  LoadedModel loaded;
  // What is wrong with what a circuit became has its place there until it is told.
  const std::string file = is_circuit ? source.file + " (as a model)" : source.file;
  loaded.network = io::read_model(file, loaded.mechanisms.signatures(), reading, found);
  Signatures signatures = loaded.mechanisms.signatures();
  loaded.own_mechanisms = mods.own(signatures);
  mods.add_to(signatures);
  if (!found.has_errors()) simulator::check_pointers(loaded.network, signatures, found);
  for (const Diagnostic& one : found.all()) diagnostics.add(circuit.origins.in_circuit(one, file));
  diagnostics.throw_if_errors();
  if (use == Use::run) simulator::check_solver_on_cpu(loaded.network.run);
  if (use == Use::run_on_gpu) simulator::check_solver_on_gpu(loaded.network.run);
  if (own == OwnMechanisms::loaded)
    mods.load_into(loaded.mechanisms, loaded.network.run.precision, listener);
  loaded.warnings = diagnostics.all();
  return loaded;
}

}  // namespace hillock::session
