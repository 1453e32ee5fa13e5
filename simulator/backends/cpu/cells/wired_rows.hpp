#pragma once
// What a wiring (solver/wiring.hpp) has to do with the rows of a group.

#include <cstddef>
#include <vector>

#include "simulator/backends/cpu/cells/cell_rows.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "solver/wiring.hpp"

namespace hillock::simulator::cpu {

class WiredRows {
 public:
  /// group: must outlive this.
  explicit WiredRows(const GroupLayout& group);

  bool empty() const { return cells_.empty(); }
  /// When the group alone is solved: its voltages before and after, and how a current at each place
  /// changes those at all.
  void tell(const CellRows& rows, solver::Wiring& wiring);
  /// When the wiring is solved: x becomes the solution with it.
  void follow(const solver::Wiring& wiring, CellRows& rows);

  std::size_t bytes() const;

 private:
  /// Rows of a cell, a parent before its children.
  struct Path {
    std::vector<std::size_t> rows;    ///< from those with spots to the root
    std::vector<std::size_t> parent;  ///< [row] among these; of the root itself
    std::vector<std::size_t> spots;   ///< [unknown of the cell] among these
  };

  template <int n>
  void tell_of_layers(const CellRows& rows, const WiredCell& cell, std::span<double> z) const;
  template <int n>
  void follow_in_layers(const solver::Wiring& wiring, const WiredCell& cell, CellRows& rows) const;
  /// Of voltages, and of potentials behind them, what an unknown of a cell is.
  double number(const CellRows& rows, const LaneArray& of, const WiredCell& cell,
                std::size_t unknown) const;
  void add_up(const CellRows& rows, const WiredCell& cell, const Path& path);

  const GroupLayout& group_;
  const std::vector<WiredCell>& cells_;
  std::vector<Path> paths_;       ///< [cell]
  std::vector<double> flow_, x_;  ///< of the cell at hand, by row of its path, or of all
};

}  // namespace hillock::simulator::cpu
