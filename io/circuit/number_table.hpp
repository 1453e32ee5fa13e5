#pragma once
// Tables of numbers in text, a line of names above them.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
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

/// An amplitude in time: straight between times, and before the first and behind the last as there.
struct AmplitudeTable {
  std::vector<double> times_ms, amplitudes;  ///< one at least; times rise

  double at(double time_ms) const;
};

/// Of the columns time and amplitude of the file that a value names. Nothing after an error.
std::optional<AmplitudeTable> read_amplitude_table(const Item& named);

/// Calls body(number of a line, the line) from the first line on, until it returns false. Returns
/// whether it never did.
template <class Body>
bool each_line(std::string_view text, const Body& body) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string content(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    std::erase(content, '\r');
    if (!body(line, content)) return false;
  }
  return true;
}

}  // namespace hillock::io::circuit
