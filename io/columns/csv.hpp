#pragma once
// Comma-separated tables of numbers: an optional header line, `#` comment lines, no quoting.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"

namespace hillock::io {

struct CsvTable {
  std::string file;
  std::vector<std::string> header;           ///< empty when the first line holds numbers
  std::vector<std::vector<double>> columns;  ///< [column][row]
  std::vector<int> lines;                    ///< [row] line in the file, from 1
  std::string_view text;                     ///< what it was read from, which must outlive it

  std::size_t rows() const { return lines.size(); }
  std::optional<std::size_t> find(std::string_view name) const;
  Place place(std::size_t row) const { return {file, lines[row], 1}; }
  /// Where a number stands. Cost: reading the file to there.
  Place place(std::size_t row, std::size_t column) const;
};

/// Reads a table; its first line must be UTF-8, every row has the same number of finite numbers.
/// Nothing after an error. At most ten errors of one file are reported.
std::optional<CsvTable> read_csv(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics);

}  // namespace hillock::io
