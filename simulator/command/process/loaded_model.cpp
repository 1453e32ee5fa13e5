#include "simulator/command/process/loaded_model.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/errors/errors.hpp"
#include "simulator/command/process/current_activity.hpp"
#include "simulator/command/terminal/report.hpp"

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
    const fs::path folder = program.parent_path();  // in a wheel all lies in one
    for (const fs::path& installed :
         {folder.parent_path() / "share/hillock/library", folder / "library"})
      if (fs::is_directory(installed, unreadable)) return installed;
  }
  return HILLOCK_SOURCE_LIBRARY;
}

void announce(const std::string& line) {
  report("{}\n", line);
}

session::ModelSource source_of(const ModelOptions& options) {
  session::ModelSource source;
  source.file = options.file;
  source.text = options.text;
  source.library = library_folder();
  for (const std::string& text : options.overrides) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set " + text + ": expected KEY=VALUE, for example run.duration=1s");
    source.overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return source;
}

LoadedModel load_model(const ModelOptions& options, OwnMechanisms own, Use use, io::Part lists) {
  session::ModelSource source = source_of(options);
  source.lists = lists;
  return session::load_model(source, own, use, {current_activity(), announce});
}

}  // namespace hillock::command
