#pragma once
// Numbers by compartment of a cell that is given in compartments (CompartmentNumbers).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/placed_rows.hpp"

namespace hillock::models {

/// One number for each compartment of the cell, the same in every cell, or those of one cell of the
/// population after those of another.
struct CompartmentRows {
  std::string file;
  std::string name;            ///< of the dataset
  std::vector<double> values;  ///< [compartment] or [cell · compartments + compartment]; NaN: none
  /// [branch] the number of its first compartment in the cell, and behind these how many there are.
  std::shared_ptr<const std::vector<std::uint32_t>> first;

  std::size_t compartments() const { return first->back(); }
  std::size_t rows() const { return values.size() / compartments(); }
  bool is_of_cells() const { return values.size() != compartments(); }
  /// The value of a compartment of a cell; nothing where it has none.
  std::optional<double> at(const PieceOfBranch& compartment, double cell) const;
};

}  // namespace hillock::models
