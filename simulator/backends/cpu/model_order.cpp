#include "simulator/backends/cpu/model_order.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::cpu {

namespace {

/// Nodes of one cell, and where they or what is on them lies.
using SlotsByNode = std::vector<std::pair<int, std::size_t>>;

CellSlots by_node(std::vector<SlotsByNode> cells) {
  CellSlots slots(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::ranges::sort(cells[c]);
    for (const auto& [node, slot] : cells[c]) slots[c].push_back(slot);
  }
  return slots;
}

bool is_there(const MechanismBlock& block, std::size_t slot) {
  if (!block.is_there.empty()) return block.is_there[slot] != 0;
  return !block.own_areas || block.area_factors[slot] != 0;
}

}  // namespace

std::vector<std::size_t> slots_of_nodes(const GroupLayout& group) {
  const std::size_t lanes = group.width();
  std::vector<SlotsByNode> cells(group.indices.size());
  for (std::size_t row = 0; row < group.row_count(); ++row)
    for (std::size_t l = 0; l < lanes && group.is_used(row % group.packs, l); ++l)
      if (const int node = group.node_at(row, l); node >= 0)
        cells[group.cell_at(row, l)].emplace_back(node, row * lanes + l);
  std::vector<std::size_t> slots;
  for (const auto& some : by_node(std::move(cells)))
    slots.insert(slots.end(), some.begin(), some.end());
  return slots;
}

CellSlots slots_of_instances(const GroupLayout& group, std::size_t b) {
  const MechanismBlock& block = group.blocks[b];
  const std::size_t lanes = group.width();
  CellSlots slots(group.indices.size());
  if (!block.first_of_pack.empty()) {
    for (std::size_t c = 0; c < slots.size(); ++c)
      for (std::size_t i = block.first_of_pack[c / lanes]; i < block.first_of_pack[c / lanes + 1];
           ++i)
        if (is_there(block, i * lanes + c % lanes)) slots[c].push_back(i * lanes + c % lanes);
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

void walk_numbers(StateWalk& state, GroupLayout& group, LaneArray& v) {
  using mechanisms::SharedQuantity;
  const std::string& population = group.population->name;
  const std::vector<std::size_t> nodes = slots_of_nodes(group);
  const auto walk_nodes = [&](const std::string& name, LaneArray& values) {
    if (values.empty()) return;
    state.column(name);
    for (const std::size_t slot : nodes) state.number(values[slot]);
  };
  walk_nodes(population + "/v", v);
  for (IonBlock& ion : group.ions) {
    const std::string name = population + "/ion/" + ion.ion + '/';
    walk_nodes(name + "current", ion.current_mA_per_cm2);
    walk_nodes(name + "reversal", ion.reversal_mV);
    walk_nodes(name + "inside", ion.inside_mM);
    walk_nodes(name + "outside", ion.outside_mM);
  }
  for (std::size_t b = 0; b < group.blocks.size(); ++b) {
    MechanismBlock& block = group.blocks[b];
    const CellSlots slots = slots_of_instances(group, b);
    const MechanismSignature& signature = block.mechanism->signature;
    for (std::size_t c = 0; c < signature.variables.size(); ++c) {
      state.column(population + '/' + signature.name + '/' + signature.variables[c].name);
      for (const auto& cell : slots)
        for (const std::size_t slot : cell)
          state.number(block.columns[block.index_of(group.width(), c, slot)]);
    }
  }
}

}  // namespace hillock::simulator::cpu
