#pragma once
// Comma-separated tables of numbers: an optional header line, `#` comment lines, no quoting.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors/diagnostics.hpp"

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

/// Reads a table that comes in pieces of whole lines, of which it keeps the rows that are taken.
class CsvReader {
 public:
  /// The diagnostics must outlive this.
  CsvReader(const std::string& file, Diagnostics& diagnostics);

  /// Reads the next lines and adds their rows to the table. False after an error.
  bool take(std::string_view lines);
  /// The same of lines that somebody else takes: counts their rows. Of these only the first line of
  /// the table is checked, which says how many columns there are.
  bool pass_over(std::string_view lines);
  /// When all lines have come: reports a table without rows. False after an error.
  bool finish();

  std::uint64_t rows() const { return rows_; }  ///< that were taken or passed over
  CsvTable& table() { return table_; }
  void forget_rows();

 private:
  std::string_view next_line(std::string_view& lines);
  bool read_first(std::string_view content);
  bool read_row(std::string_view content);
  bool report(std::size_t column, std::string problem);

  Diagnostics& diagnostics_;
  CsvTable table_;
  std::size_t errors_ = 0;
  std::size_t values_ = 0;
  std::uint64_t rows_ = 0;
  int line_ = 0;
  bool is_first_ = true;  ///< no line has come that is not a comment
};

/// Reads a table; its first line must be UTF-8, every row has the same number of finite numbers.
/// Nothing after an error. At most ten errors of one file are reported.
std::optional<CsvTable> read_csv(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics);

}  // namespace hillock::io
