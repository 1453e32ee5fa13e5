#pragma once
// How the cells of a range fall into groups.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/state/state_walk.hpp"
#include "simulator/backends/cpu/groups/side_by_side.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

/// Whether the nodes of a range's cells all lie alike.
bool are_alike(const RangePlan& plan);

/// How many groups cells of such a kind fall into that lie so many side by side.
std::size_t groups_of(const CellKind& kind, std::size_t cells, int side_by_side);

/// Lays out one group after the other and hands it to take(); of the plan what is then known is
/// forgotten. Throws InvalidModel.
void cut_into_groups(RangePlan& plan, const SideBySide& cells,
                     const std::function<void(GroupLayout)>& take);

/// Saves or restores what changes in a range's groups. Afterwards the state's cells are all of the
/// range's. groups: pointers to what has layout() and walk().
template <class Groups>
void walk_groups(StateWalk& state, const std::string& population, const Groups& groups) {
  std::vector<std::uint64_t> cells;
  for (const auto& group : groups) {
    const auto& some = group->layout().indices;
    cells.insert(cells.end(), some.begin(), some.end());
  }
  state.begin(population, cells);
  std::size_t first = 0;
  for (const auto& group : groups) {
    state.narrow(first, group->layout().indices.size());
    group->walk(state);
    first += group->layout().indices.size();
  }
  state.narrow(0, cells.size());
}

}  // namespace hillock::simulator::cpu
