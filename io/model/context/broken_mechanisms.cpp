#include "io/model/context/broken_mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hillock::io {

bool BrokenMechanisms::use(const std::string& name) {
  bool is_broken = false;
  for (File& file : files_)
    if (file.name == name) is_broken = file.is_used = true;
  return is_broken;
}

std::vector<std::string> BrokenMechanisms::names() const {
  std::vector<std::string> names;
  for (const File& file : files_) names.push_back(file.name);
  return names;
}

void BrokenMechanisms::report(Diagnostics& diagnostics) const {
  for (const File& file : files_) {
    if (file.is_used) {
      for (const Diagnostic& found : file.found) diagnostics.add(found);
      continue;
    }
    const auto first = std::ranges::find(file.found, Severity::error, &Diagnostic::severity);
    if (first == file.found.end()) continue;
    const auto errors = std::ranges::count(file.found, Severity::error, &Diagnostic::severity);
    diagnostics.warning(
        first->place,
        fmt::format("{}{}; the file is left out, as the model does not use it", first->message,
                    errors > 1 ? fmt::format(" (and {} more errors)", errors - 1) : ""));
  }
}

}  // namespace hillock::io
