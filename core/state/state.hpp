#pragma once
// Everything that changes during a run, as columns of numbers by name: of the population exc the
// column "hh/m" has the state m of hh on its cells, on one cell in the order of nodes or instances.
// Nothing in it tells how many lanes, threads or ranks there were: a state may be of some cells
// only, and knows of which, and how many numbers each of them has. See core/state/state_walk.hpp
// for who fills and reads it, core/state/state_parts.hpp for parts of a state,
// core/state/packed_state.hpp for its bytes.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/containers/cell_indices.hpp"
#include "core/containers/one_or_many.hpp"

namespace hillock {

/// A state that is not of the network it is given to.
class StateMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A column of the run as a whole, which every part of a state has alike. Numbers are kept bit by
/// bit, here as in columns of cells.
class StateColumn {
 public:
  StateColumn() = default;
  explicit StateColumn(OneOrMany numbers) : numbers_(std::move(numbers)) {}

  void put(double number) { numbers_.push_back(number); }
  void put_count(std::uint64_t count) { put(std::bit_cast<double>(count)); }
  const OneOrMany& numbers() const { return numbers_; }

 private:
  OneOrMany numbers_;
};

/// How many numbers each cell has.
using CellCounts = OneOrManyOf<std::uint32_t>;

/// A column of cells: their numbers, one cell after the other.
struct CellColumn {
  OneOrMany numbers;
  CellCounts counts;  ///< [cell]; of cells behind the last one: 0
};

/// Some cells of one population. A column that is not there has no number of any cell.
struct StateOfCells {
  CellIndices cells;
  std::map<std::string, CellColumn> columns;
};

class State {
 public:
  /// The run's column of that name; an empty one where there was none.
  StateColumn& operator[](const std::string& name) { return of_run_[name]; }
  const std::map<std::string, StateColumn>& of_run() const { return of_run_; }

  /// Of a population; no cells where there were none.
  StateOfCells& of(const std::string& population) { return of_cells_[population]; }
  /// By population. Cells are in the order of their indices, but in a part that is still to be
  /// joined.
  const std::map<std::string, StateOfCells>& of_cells() const { return of_cells_; }

 private:
  std::map<std::string, StateColumn> of_run_;
  std::map<std::string, StateOfCells> of_cells_;
};

/// Where the numbers of each cell of a column begin, whichever is asked for.
class CellOffsets {
 public:
  CellOffsets() = default;
  /// counts: must outlive this.
  explicit CellOffsets(const CellCounts& counts);
  /// The first number of a cell, or of one behind the last.
  std::size_t operator[](std::size_t cell) const {
    if (cell == next_cell_) return next_;
    if (counts_->is_one() || cell >= counts_->size())
      return cell < counts_->size() ? cell * counts_->one() : all_;
    std::size_t at = every_[cell / apart];
    for (std::size_t c = cell / apart * apart; c < cell; ++c) at += (*counts_)[c];
    return at;
  }
  std::size_t count(std::size_t cell) const {
    return cell < counts_->size() ? (*counts_)[cell] : 0;
  }
  /// Of all cells.
  std::size_t all() const { return all_; }
  /// The next question is most likely for the cell behind this one, which begins there.
  void expect(std::size_t cell, std::size_t at) {
    next_cell_ = cell;
    next_ = at;
  }

 private:
  static constexpr std::size_t apart = 64;

  const CellCounts* counts_ = nullptr;
  std::vector<std::size_t> every_;  ///< of every 64th cell
  std::size_t all_ = 0;
  std::size_t next_cell_ = 0, next_ = 0;
};

}  // namespace hillock
