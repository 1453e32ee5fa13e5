#pragma once
// How the cells of a range fall into groups.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/state/state_walk.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

/// How many cells of a range lie side by side.
struct SideBySide {
  int most = 1;
  int asked = 0;            ///< 0: what suits
  bool never_four = false;  ///< which have no loops of their own (mechanisms/cpu_kernels.hpp)
  int threads = 1;          ///< that may share the rows of a cell
};

/// The same with the most that are asked for or, where a step of so many reads and writes more than
/// a core's cache holds, one, whose instances fill the registers.
SideBySide as_fit_into_cache(const RangePlan& plan, SideBySide cells);

/// Lays out one group after the other and hands it to take(); of the plan what is then known is
/// forgotten. cells: of which `most` are the most. Throws InvalidModel.
void cut_into_groups(RangePlan& plan, SideBySide cells,
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
