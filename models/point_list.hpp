#pragma once
// Point processes that are given one by one.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/errors/place.hpp"
#include "core/ids.hpp"
#include "models/cell.hpp"

namespace hillock::models {

/// Instances of one mechanism on the cells of a population, each at a place of its own, known by
/// their numbers in the list. None of them is ever one with another.
struct PointList {
  /// A parameter of which each has its own value, in the signature's unit.
  struct Column {
    std::string variable;
    std::vector<double> values;  ///< [point]
  };

  /// A parameter of a point that follows a table: (ms, value), times not falling; linear between
  /// rows, beyond them the first and the last.
  struct Played {
    std::uint32_t point = 0;
    std::string variable;
    std::vector<std::pair<double, double>> table;
  };

  std::string name;
  PopulationId on;
  MechanismUse mechanism;               ///< with what is the same for all
  std::vector<std::uint32_t> cells;     ///< [point] its cell, counted in the population
  std::vector<std::uint32_t> branches;  ///< [point] the branch's number in the cell
  std::vector<double> positions;        ///< [point] how far along the branch, 0 to 1
  std::vector<Column> columns;
  std::vector<Played> played;          ///< by point
  std::vector<std::uint64_t> first;    ///< [cell, and one more] into `of_cell`
  std::vector<std::uint32_t> of_cell;  ///< the points of the first cell, then of the next
  Place place;

  std::size_t size() const { return cells.size(); }
  /// Fills `first` and `of_cell` for a population of so many cells.
  void sort_by_cell(std::uint64_t population_size);
  /// The points of a cell, rising.
  std::span<const std::uint32_t> on_cell(std::uint64_t cell) const {
    return std::span(of_cell).subspan(first[cell], first[cell + 1] - first[cell]);
  }
};

}  // namespace hillock::models
