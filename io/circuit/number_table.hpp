#pragma once
// Tables of numbers in text, a line of names above them.

#include <optional>
#include <string>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

struct NumberTable {
  std::string file;
  std::vector<int> lines;                    ///< [row] where it stands
  std::vector<std::vector<double>> columns;  ///< [asked for][row]
};

/// Some columns of the file that a value names; the others may have any words. Nothing after an
/// error.
std::optional<NumberTable> read_number_table(const Item& named,
                                             const std::vector<std::string>& columns,
                                             char separator = ' ');

}  // namespace hillock::io::circuit
