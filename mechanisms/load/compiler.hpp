#pragma once
// The C++ compiler for mechanisms: which one, with which options.

#include <optional>
#include <string>
#include <vector>

#include "core/simd/isa.hpp"

namespace hillock::mechanisms {

struct Compiler {
  std::vector<std::string> command;       ///< the program's path and what $CXX has behind it
  std::string version;                    ///< what `--version` says
  std::vector<std::string> options = {};  ///< that others would not understand
  bool is_zig = false;                    ///< clang in another's words

  /// What is said while it works.
  std::string name() const;
};

/// $CXX when it is set, else the first of c++, g++ and clang++ on $PATH, else the zig that Python's
/// package `ziglang` brings beside a Hillock that came as a wheel; nothing when there is none.
std::optional<Compiler> find_compiler();

/// Where find_compiler() found none: why, or where one comes from.
std::string why_there_is_no_compiler();

/// The options of a mechanism's library: those that Hillock's own loops are compiled with.
std::vector<std::string> compile_options(Isa isa);

/// The same in that compiler's words, with its own.
std::vector<std::string> compile_options(Isa isa, const Compiler& compiler);

}  // namespace hillock::mechanisms
