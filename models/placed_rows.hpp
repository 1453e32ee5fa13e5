#pragma once
// Numbers by place on a cell: rows of a file, each with a branch and a position on it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hillock::models {

/// A compartment: one of so many equal pieces of a branch.
struct PieceOfBranch {
  std::size_t branch = 0;  ///< in the morphology's order
  int piece = 0;           ///< from its 0 end
  int pieces = 1;
};

struct PlacedRow {
  std::uint32_t branch = 0;
  double position = 0;  ///< 0 to 1
  double value = 0;     ///< in the unit of the slot
};

struct PlacedRows {
  std::string file;
  std::string name;             ///< of the column
  std::vector<PlacedRow> rows;  ///< by branch, then by position

  /// The value of the row nearest to the centre of a compartment among those that lie in it, of two
  /// as near the first; nothing where none lies in it. A row between two compartments is the
  /// second's.
  std::optional<double> at(const PieceOfBranch& compartment) const;
  /// The value of the row of its branch, which must have one, nearest to the centre of a
  /// compartment, of two as near the first.
  double nearest(const PieceOfBranch& compartment) const;
};

}  // namespace hillock::models
