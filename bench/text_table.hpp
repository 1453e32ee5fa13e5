#pragma once
// Tables for people: a line of groups, a line of names, and rows that appear as they are measured.

#include <cstddef>
#include <string>
#include <vector>

namespace hillock::bench {

struct Column {
  std::string group;  ///< written once above neighbours of one group
  std::string name;
  bool shown = true;      ///< a column that cannot be measured here is left out
  std::size_t width = 8;  ///< at least
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);
  /// One cell a column, those of columns left out included.
  void add(const std::vector<std::string>& cells);

 private:
  void print_head();
  std::vector<Column> columns_;
  std::vector<std::size_t> width_;
  bool headed_ = false;
};

/// Four digits: "0.0532", "12.34", "56790"; "-" where there is no number.
std::string figure(double value);
/// "2.05x"; "-" where there is no number.
std::string times(double ratio);
std::string percent(double share);
std::string count(std::size_t number);

}  // namespace hillock::bench
