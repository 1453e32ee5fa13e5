#pragma once
// The system's C++ compiler: which one, with which options.

#include <optional>
#include <string>
#include <vector>

#include "core/simd/isa.hpp"

namespace hillock::mechanisms {

struct Compiler {
  std::vector<std::string> command;       ///< the program's path and what $CXX has behind it
  std::string version;                    ///< what `--version` says
  std::vector<std::string> options = {};  ///< that others would not understand
};

/// $CXX when it is set, else the first of c++, g++ and clang++ on $PATH; nothing when there is
/// none.
std::optional<Compiler> find_compiler();

/// The options of a mechanism's library: those that Hillock's own loops are compiled with.
std::vector<std::string> compile_options(Isa isa);

}  // namespace hillock::mechanisms
