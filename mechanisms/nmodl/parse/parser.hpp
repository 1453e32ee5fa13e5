#pragma once
// Reads a .mod file into its syntax tree. Knows the grammar alone: whether names are declared and
// used as they may be is the analysis's business.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "mechanisms/nmodl/findings/findings.hpp"
#include "mechanisms/nmodl/parse/ast.hpp"

namespace hillock::nmodl {

inline constexpr std::size_t largest_file = std::size_t{1} << 22;  ///< bytes, INCLUDEd or not

/// The text of a file that INCLUDE names, or nothing when it cannot be read.
using ReadInclude = std::function<std::optional<std::string>(const std::filesystem::path&)>;

struct Parsed {
  ast::File file;
  bool declarations_complete = true;  ///< false: a block that declares names holds a syntax error
};

/// Reads `text`. Each top-level block with a syntax error is reported once and left out; reading
/// goes on behind it. Nesting is bounded. Cost O(length), of included files too.
Parsed parse(const std::string& file_name, const std::string& text, const ReadInclude& include,
             Findings& findings);

}  // namespace hillock::nmodl
