#pragma once
// Turns a part of a range's plan into lanes.

#include <cstddef>
#include <memory>

#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

/// Cells [begin, end) of a range, as one group.
struct GroupCells {
  std::size_t begin = 0;
  std::size_t end = 0;
  int lanes = 1;
  std::size_t packs = 1;  ///< more than one: all cells are of one kind
  std::size_t parts = 1;  ///< of one cell: in which threads share its rows
};

/// The rows that some cells share; of more than one pack the first pack's.
std::shared_ptr<const solver::LaneTree> tree_of(
    const RangePlan& plan, const GroupCells& cells,
    solver::RowOrder order = solver::RowOrder::by_level);

/// Throws InvalidModel when a value lies outside its limits.
GroupLayout lay_out(const RangePlan& plan, const GroupCells& cells,
                    std::shared_ptr<const solver::LaneTree> tree);

}  // namespace hillock::simulator::cpu
