#pragma once
// What hillock-bench was asked for.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hillock::bench {

enum class Backends { all, cpu, cuda };

struct Options {
  std::vector<std::string> tables;  ///< empty: all that run unasked
  std::vector<std::size_t> cells;   ///< batch sizes in place of the tables' own; empty: their own
  std::string precision;            ///< "float", "double", or empty for both
  std::string json;                 ///< file for the rows; empty: none
  Backends backends = Backends::all;
  bool quick = false;
  bool list = false;
  std::string command;  ///< as it was given, folders left out
};

/// Reads the arguments of `hillock-bench solvers …`; nothing when it has printed the help instead.
/// Throws UsageError.
std::optional<Options> read_options(int argc, char** argv);

}  // namespace hillock::bench
