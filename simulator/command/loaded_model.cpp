#include "simulator/command/loaded_model.hpp"

#include <cstdlib>

#include "core/errors.hpp"
#include "io/model_reader.hpp"
#include "simulator/simulation.hpp"

namespace hillock::command {

std::filesystem::path library_folder() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("HILLOCK_LIBRARY"); given && *given) return given;
  std::error_code unreadable;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  if (!unreadable) {
    const fs::path installed = program.parent_path().parent_path() / "share/hillock/library";
    if (fs::is_directory(installed, unreadable)) return installed;
  }
  return HILLOCK_SOURCE_LIBRARY;
}

LoadedModel load_model(const ModelOptions& options) {
  io::ReadOptions reading;
  reading.library = library_folder();
  for (const std::string& text : options.overrides) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set " + text + ": expected KEY=VALUE, for example run.duration=1s");
    reading.overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  Diagnostics diagnostics;
  LoadedModel loaded;
  loaded.network =
      io::read_model(options.file, loaded.mechanisms.signatures(), reading, diagnostics);
  if (!diagnostics.has_errors()) simulator::check_supported(loaded.network, diagnostics);
  diagnostics.throw_if_errors();
  loaded.warnings = diagnostics.all();
  return loaded;
}

}  // namespace hillock::command
