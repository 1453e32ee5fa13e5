#include "simulator/backends/cpu/model_order.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::cpu {

namespace {

/// Nodes of one cell, and where they or what is on them lies.
using PlacesByNode = std::vector<std::pair<int, std::size_t>>;

CellPlaces by_node(std::vector<PlacesByNode> cells) {
  CellPlaces places(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::ranges::sort(cells[c]);
    for (const auto& [node, place] : cells[c]) places[c].push_back(place);
  }
  return places;
}

bool is_there(const MechanismBlock& block, std::size_t place) {
  if (!block.is_there.empty()) return block.is_there[place] != 0;
  return !block.own_areas || block.area_factors[place] != 0;
}

}  // namespace

std::vector<std::size_t> places_of_nodes(const GroupLayout& group) {
  const std::size_t lanes = group.width();
  std::vector<PlacesByNode> cells(group.indices.size());
  for (std::size_t row = 0; row < group.row_count(); ++row)
    for (std::size_t l = 0; l < lanes && group.is_used(row % group.packs, l); ++l)
      if (const int node = group.node_at(row, l); node >= 0)
        cells[group.cell_at(row, l)].emplace_back(node, row * lanes + l);
  std::vector<std::size_t> places;
  for (const auto& some : by_node(std::move(cells)))
    places.insert(places.end(), some.begin(), some.end());
  return places;
}

CellPlaces places_of_instances(const GroupLayout& group, std::size_t b) {
  const MechanismBlock& block = group.blocks[b];
  const std::size_t lanes = group.width();
  CellPlaces places(group.indices.size());
  if (!block.first_of_pack.empty()) {
    for (std::size_t c = 0; c < places.size(); ++c)
      for (std::size_t i = block.first_of_pack[c / lanes]; i < block.first_of_pack[c / lanes + 1];
           ++i)
        if (is_there(block, i * lanes + c % lanes)) places[c].push_back(i * lanes + c % lanes);
    return places;
  }
  std::vector<PlacesByNode> cells(group.indices.size());
  for (std::size_t i = 0; i < block.count; ++i) {
    const auto row = static_cast<std::size_t>(block.nodes[i]);
    for (std::size_t l = 0; l < lanes && group.is_used(row % group.packs, l); ++l)
      if (const int node = group.node_at(row, l); node >= 0 && is_there(block, i * lanes + l))
        cells[group.cell_at(row, l)].emplace_back(node, i * lanes + l);
  }
  return by_node(std::move(cells));
}

void walk_numbers(StateWalk& state, GroupLayout& group, LaneArray& v) {
  using mechanisms::PlaceQuantity;
  const std::string& population = group.population->name;
  const std::vector<std::size_t> nodes = places_of_nodes(group);
  const auto walk_nodes = [&](const std::string& name, LaneArray& values) {
    if (values.empty()) return;
    state.column(name);
    for (const std::size_t place : nodes) state.number(values[place]);
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
    const CellPlaces places = places_of_instances(group, b);
    const MechanismSignature& signature = block.mechanism->signature;
    for (std::size_t c = 0; c < signature.variables.size(); ++c) {
      state.column(population + '/' + signature.name + '/' + signature.variables[c].name);
      for (const auto& cell : places)
        for (const std::size_t place : cell)
          state.number(block.columns[block.index_of(group.width(), c, place)]);
    }
  }
}

}  // namespace hillock::simulator::cpu
