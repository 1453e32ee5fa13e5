#include "simulator/command/loaded_model.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "core/errors.hpp"
#include "io/model/model_reader.hpp"
#include "mechanisms/load/loader.hpp"
#include "simulator/command/current_activity.hpp"
#include "simulator/command/report.hpp"
#include "simulator/simulation.hpp"
#include "simulator/solver_choice.hpp"

namespace hillock::command {

std::filesystem::path library_folder() {
  namespace fs = std::filesystem;
  std::error_code unreadable;
  if (const char* given = std::getenv("HILLOCK_LIBRARY"); given && *given) {
    if (fs::is_directory(given, unreadable)) return given;
    throw UsageError(fmt::format("HILLOCK_LIBRARY={}: there is no such folder", given));
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  if (!unreadable) {
    const fs::path installed = program.parent_path().parent_path() / "share/hillock/library";
    if (fs::is_directory(installed, unreadable)) return installed;
  }
  return HILLOCK_SOURCE_LIBRARY;
}

namespace {

/// The .mod files of a model that is being read.
class ModFiles {
 public:
  io::CheckMechanism checker() {
    return [this](const io::MechanismFile& file, const io::ReadIncluded& include,
                  Diagnostics& diagnostics) -> io::CheckedMechanism {
      mechanisms::ModReading reading = mechanisms::read_mod(
          file.path, file.text, include, file.tables.value_or(GivenTables{}), diagnostics);
      if (!reading.file) return {reading.name, {}, {}};
      if (file.tables) report_missing_tables(*reading.file, file.named_at, diagnostics);
      files_.push_back(std::move(*reading.file));
      named_at_.push_back(file.named_at);
      return {reading.name, files_.back().name_place, files_.back().signature};
    };
  }

  void add_to(Signatures& signatures) const {
    for (const auto& file : files_) signatures.emplace(file.signature.name, file.signature);
  }

  /// Throws InvalidModel where a compiler is needed and missing.
  void load_into(mechanisms::Registry& registry) const {
    if (files_.empty()) return;
    current_activity().begin("preparing mechanisms");
    try {
      for (auto& loaded : mechanisms::load(files_, announce))
        registry.add(std::move(loaded.mechanism));
    } catch (const mechanisms::NoCompiler& problem) {
      reject(named_at_[problem.first()],
             fmt::format("{}: {}", files_[problem.first()].path, problem.what()));
    }
  }

 private:
  static void report_missing_tables(const mechanisms::ModFile& file, const Place& named_at,
                                    Diagnostics& diagnostics) {
    for (const auto& table : file.missing_tables)
      diagnostics.error(named_at,
                        fmt::format("FUNCTION_TABLE {} of {} has no table: give one under tables:",
                                    table.name, file.path));
  }

  std::vector<mechanisms::ModFile> files_;
  std::vector<Place> named_at_;  ///< [file] in the model
};

}  // namespace

void announce(const std::string& line) {
  report("{}\n", line);
}

LoadedModel load_model(const ModelOptions& options, OwnMechanisms own, Use use, io::Part lists) {
  current_activity().begin("reading " + options.file);
  io::ReadOptions reading;
  reading.library = library_folder();
  if (options.text) reading.text = &*options.text;
  for (const std::string& text : options.overrides) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set " + text + ": expected KEY=VALUE, for example run.duration=1s");
    reading.overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  reading.list_part = lists;
  ModFiles mods;
  reading.check_mechanism = mods.checker();
  Diagnostics diagnostics;
  LoadedModel loaded;
  loaded.network =
      io::read_model(options.file, loaded.mechanisms.signatures(), reading, diagnostics);
  Signatures signatures = loaded.mechanisms.signatures();
  mods.add_to(signatures);
  if (!diagnostics.has_errors()) simulator::check_pointers(loaded.network, signatures, diagnostics);
  diagnostics.throw_if_errors();
  if (use == Use::run) simulator::check_solver_on_cpu(loaded.network.run);
  if (use == Use::run_on_gpu) simulator::check_solver_on_gpu(loaded.network.run);
  if (own == OwnMechanisms::loaded) mods.load_into(loaded.mechanisms);
  loaded.warnings = diagnostics.all();
  return loaded;
}

}  // namespace hillock::command
