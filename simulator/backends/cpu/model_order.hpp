#pragma once
// Where a group's numbers lie, in the order of the model: by cell and, on one cell, by node or
// instance. What only fills a lane is left out.

#include <cstddef>
#include <vector>

#include "core/state.hpp"
#include "simulator/backends/cpu/group_layout.hpp"

namespace hillock::simulator::cpu {

/// row·lanes + lane of every node that has a row.
std::vector<std::size_t> slots_of_nodes(const GroupLayout& group);

/// [cell][instance on the cell] instance·lanes + lane.
using CellSlots = std::vector<std::vector<std::size_t>>;

/// Those of every instance of a block; a density mechanism's are by node.
CellSlots slots_of_instances(const GroupLayout& group, std::size_t block);

/// Saves or restores voltages, ions, and all variables of mechanisms. v: [row + 1][lane].
void walk_numbers(StateWalk& state, GroupLayout& group, LaneArray& v);

}  // namespace hillock::simulator::cpu
