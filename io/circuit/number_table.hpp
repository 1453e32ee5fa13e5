#pragma once
// Tables of numbers in text, a line of names above them.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/circuit/json_files.hpp"

namespace hillock::io::circuit {

struct NumberTable {
  std::string file;
  std::vector<int> lines;                    ///< [row] where it stands
  std::vector<std::vector<double>> columns;  ///< [asked for][row]
  std::vector<std::string> words;  ///< [row] of a column of words; empty where there is none
};

/// Some columns of a file; the others may have any words. named: what is told of what is wrong.
/// words: a column that may be there. Nothing after an error.
std::optional<NumberTable> read_number_table(const Item& named, const std::filesystem::path& file,
                                             const std::vector<std::string>& columns,
                                             char separator = ' ', const std::string& words = "");

/// Those of the file that a value names.
std::optional<NumberTable> read_number_table(const Item& named,
                                             const std::vector<std::string>& columns,
                                             char separator = ' ', const std::string& words = "");

}  // namespace hillock::io::circuit
