#pragma once
// Where a group's numbers lie, in the order of the model: by cell and, on one cell, by node or
// instance. What only fills a lane is left out.

#include <cstddef>
#include <span>
#include <vector>

#include "core/state/state_walk.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

/// Some numbers of each cell: row·lanes + lane, or instance·lanes + lane.
class CellSlots {
 public:
  std::span<const std::size_t> of(std::size_t cell) const {
    return std::span(slots_).subspan(first_[cell], first_[cell + 1] - first_[cell]);
  }
  void add(std::size_t slot) { slots_.push_back(slot); }
  void end_cell() { first_.push_back(slots_.size()); }

 private:
  std::vector<std::size_t> slots_;
  std::vector<std::size_t> first_{0};  ///< [cell]
};

struct GroupSlots {
  CellSlots nodes;                   ///< of every node that has a row
  std::vector<CellSlots> instances;  ///< [block]; a density mechanism's are by node
};

/// While nodes are not forgotten.
GroupSlots slots_of(const GroupLayout& group);

/// Saves or restores voltages, ions, and variables of mechanisms. v: [row + 1][lane].
void walk_numbers(StateWalk& state, GroupLayout& group, const GroupSlots& slots,
                  const RunConstants& run, LaneArray& v);

}  // namespace hillock::simulator::cpu
