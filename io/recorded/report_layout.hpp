#pragma once
// What a report in SONATA's format holds, which anybody may have written, and its values in parts.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/columns/confined_file.hpp"
#include "io/page/tree_panel.hpp"

namespace hillock::io::recorded {

/// A population's part of a report's file, without its values.
struct ReportLayout {
  std::string group;  ///< "/report/exc", "/ecp" of potentials, or "/dipole"
  std::string units;
  std::vector<double> nodes;            ///< in any order
  std::vector<std::size_t> pointers;    ///< [node] its first column, and behind the last one's
  std::vector<page::Element> elements;  ///< [column]
  /// [column] where a contact is, where the file says so; else none.
  std::vector<std::array<double, 3>> contacts_um;
  std::uint64_t rows = 0;
  double start_ms = 0, every_ms = 0;

  std::size_t columns() const { return elements.size(); }
};

/// Whose reports a file has: populations, and "" for potentials at contacts or a dipole moment.
std::vector<std::string> reported_in(ConfinedFile& file);

/// Where such a report is, and the dataset that says when it was sampled.
std::string group_of_report(ConfinedFile& file, const std::string& population);
std::string time_of_report(ConfinedFile& file, const std::string& population);

/// Throws InputOutputError where there is none, or its parts do not fit together. The elements of
/// potentials are contacts, those of a moment x, y and z, of one node.
ReportLayout read_report_layout(ConfinedFile& file, const std::string& population);

/// Calls take() with the values of some rows after the other, [row][column], and is_reading()
/// before each. Throws InputOutputError.
void each_slab(ConfinedFile& file, const ReportLayout& layout,
               const std::function<void()>& is_reading,
               const std::function<void(std::span<const double>)>& take);

}  // namespace hillock::io::recorded
