#include "simulator/backends/cpu/group_layout.hpp"

#include <algorithm>

namespace hillock::simulator::cpu {

LaneArray& IonBlock::values(mechanisms::PlaceQuantity quantity) {
  using mechanisms::PlaceQuantity;
  switch (quantity) {
    case PlaceQuantity::current:
      return current_mA_per_cm2;
    case PlaceQuantity::reversal:
      return reversal_mV;
    case PlaceQuantity::inside:
      return inside_mM;
    case PlaceQuantity::outside:
      return outside_mM;
    default:
      throw std::logic_error("not a variable of an ion");
  }
}

std::size_t GroupLayout::cell_at(std::size_t row, std::size_t lane) const {
  return std::min(row % packs * width() + lane, indices.size() - 1);
}

std::size_t GroupLayout::row_of(std::size_t cell, NodeId node) const {
  const int tree_row = tree->row_of(cell % width(), node);
  if (tree_row < 0) throw std::logic_error("a node in use was left out of the group's tree");
  return row(static_cast<std::size_t>(tree_row), cell / width());
}

std::string GroupLayout::describe(std::size_t row, std::size_t lane) const {
  const std::size_t cell = shapes.size() == 1 ? 0 : cell_at(row, lane);
  return shapes[cell]->describe(NodeId(std::max(0, node_at(row, lane))));
}

}  // namespace hillock::simulator::cpu
