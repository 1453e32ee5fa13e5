#include "simulator/backends/cpu/layout/model_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "simulator/begin/in_state.hpp"

namespace hillock::simulator::cpu {

namespace {

/// Nodes of one cell, and where they or what is on them lies.
using SlotsByNode = std::vector<std::pair<int, std::size_t>>;

CellSlots by_node(std::vector<SlotsByNode> cells) {
  CellSlots slots;
  for (SlotsByNode& cell : cells) {
    std::ranges::sort(cell);
    for (const auto& [node, slot] : cell) slots.add(slot);
    slots.end_cell();
  }
  return slots;
}

bool is_there(const MechanismBlock& block, std::size_t slot) {
  if (!block.is_there.empty()) return block.is_there[slot] != 0;
  return !block.own_areas || block.area_factors[slot] != 0;
}

CellSlots slots_of_nodes(const GroupLayout& group) {
  const std::size_t lanes = group.width();
  std::vector<SlotsByNode> cells(group.indices.size());
  for (std::size_t row = 0; row < group.row_count(); ++row)
    for (std::size_t l = 0; l < lanes && group.is_used(row % group.packs, l); ++l)
      if (const int node = group.node_at(row, l); node >= 0)
        cells[group.cell_at(row, l)].emplace_back(node, row * lanes + l);
  return by_node(std::move(cells));
}

CellSlots slots_of_instances(const GroupLayout& group, const MechanismBlock& block) {
  const std::size_t lanes = group.width();
  if (!block.first_of_pack.empty()) {
    CellSlots slots;
    for (std::size_t c = 0; c < group.indices.size(); ++c, slots.end_cell())
      for (std::size_t i = block.first_of_pack[c / lanes]; i < block.first_of_pack[c / lanes + 1];
           ++i)
        if (is_there(block, i * lanes + c % lanes)) slots.add(i * lanes + c % lanes);
    return slots;
  }
  std::vector<SlotsByNode> cells(group.indices.size());
  for (std::size_t i = 0; i < block.count; ++i) {
    const auto row = static_cast<std::size_t>(block.nodes[i]);
    for (std::size_t l = 0; l < lanes && group.is_used(row % group.packs, l); ++l)
      if (const int node = group.node_at(row, l); node >= 0 && is_there(block, i * lanes + l))
        cells[group.cell_at(row, l)].emplace_back(node, i * lanes + l);
  }
  return by_node(std::move(cells));
}

/// [cell] whether the ion's numbers are part of the state there: what they are where nothing on the
/// cell has to do with them depends on who shares the group.
std::vector<char> cells_that_keep(const GroupLayout& group, const GroupSlots& slots,
                                  const IonBlock& ion) {
  const std::size_t cells = group.indices.size();
  if (ion.kept_by == IonPlan::KeptBy::all) return std::vector<char>(cells, 1);
  std::vector<char> keep(cells, 0);
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    if (!begin::keeps_ion(*group.blocks[b].mechanism->info, ion.ion, ion.kept_by)) continue;
    for (std::size_t c = 0; c < cells; ++c)
      if (!slots.instances[b].of(c).empty()) keep[c] = 1;
  }
  return keep;
}

/// [cell] whether a POINTER or a gap junction looks at the block there.
std::vector<char> cells_pointed_at(const GroupLayout& group, std::size_t block) {
  std::vector<char> are(group.indices.size(), 0);
  for (const auto& [of_block, cell] : group.pointed_at)
    if (of_block == block) are[cell] = 1;
  return are;
}

}  // namespace

GroupSlots slots_of(const GroupLayout& group) {
  GroupSlots slots{slots_of_nodes(group), {}};
  for (const MechanismBlock& block : group.blocks)
    slots.instances.push_back(slots_of_instances(group, block));
  return slots;
}

void walk_numbers(StateWalk& state, GroupLayout& group, const GroupSlots& slots,
                  const RunConstants& run, LaneArray& v) {
  const auto walk_nodes = [&](const std::string& name, LaneArray& values, const auto& has) {
    if (values.empty()) return;
    state.column(name, [&](std::size_t cell) {
      if (!has(cell)) return;
      for (const std::size_t slot : slots.nodes.of(cell)) state.number(values[slot]);
    });
  };
  walk_nodes("v", v, [](std::size_t) { return true; });
  for (std::size_t l = 0; l < group.layers.count(); ++l)
    state.column("vext[" + std::to_string(l) + ']', [&](std::size_t cell) {
      const std::size_t size = group.row_count() * group.width();
      for (const std::size_t slot : slots.nodes.of(cell))
        state.number(v[group.width() + (l + 1) * size + slot]);
    });
  for (IonBlock& ion : group.ions) {
    const std::vector<char> keep = cells_that_keep(group, slots, ion);
    const auto keeps = [&](std::size_t cell) { return keep[cell] != 0; };
    const std::string name = "ion/" + ion.ion + '/';
    walk_nodes(name + "current", ion.current_mA_per_cm2, keeps);
    walk_nodes(name + "reversal", ion.reversal_mV, keeps);
    walk_nodes(name + "inside", ion.inside_mM, keeps);
    walk_nodes(name + "outside", ion.outside_mM, keeps);
  }
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    MechanismBlock& block = group.blocks[b];
    const MechanismSignature& signature = block.mechanism->signature;
    const std::vector<char> is_pointed_at = cells_pointed_at(group, b);
    for (std::size_t c = 0; c < signature.variables.size(); ++c) {
      const auto is_kept = [&](bool is_looked_at) {
        return begin::is_in_state(*block.mechanism->info, c, run, is_looked_at);
      };
      if (!is_kept(run.has_pointers)) continue;
      state.column(signature.name + '/' + signature.variables[c].name, [&](std::size_t cell) {
        if (!is_kept(is_pointed_at[cell] != 0)) return;
        for (const std::size_t slot : slots.instances[b].of(cell))
          state.number(block.columns[block.index_of(group.width(), c, slot)]);
      });
    }
  }
}

}  // namespace hillock::simulator::cpu
