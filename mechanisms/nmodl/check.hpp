#pragma once
// The front end's door: a .mod file in, a checked module or its errors out.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "mechanisms/nmodl/analyse/module.hpp"
#include "mechanisms/nmodl/parse/parser.hpp"

namespace hillock::nmodl {

struct Checked {
  std::optional<Module> module;         ///< nothing when there is an error
  std::string name;                     ///< the mechanism's, as far as it could be read
  std::vector<Diagnostic> diagnostics;  ///< errors and warnings, in the order of the text
};

/// Checks a mechanism's text. `file_name` serves messages and INCLUDE's folder; without `include`
/// an INCLUDE is an error. Never throws for what the text says.
Checked check_text(const std::string& file_name, const std::string& text,
                   const ReadInclude& include = {}, Constants constants = Constants::codata2018);

/// Checks a file; INCLUDE looks beside the file that holds it.
/// Throws InputOutputError when the file cannot be read.
Checked check_file(const std::filesystem::path& path);

}  // namespace hillock::nmodl
