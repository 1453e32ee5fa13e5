// Connections of the network under construction: what each keeps, and artificial cells, which take
// events themselves.

#include <algorithm>
#include <numeric>

#include "simulator/network_draft.hpp"

namespace hillock::simulator {

const models::CableCell& body_of(const models::Cell& cell) {
  if (const auto* cable = std::get_if<models::CableCell>(&cell.kind)) return *cable;
  static const models::CableCell bare = [] {
    models::Branch branch{"cell", "cell", -1, 1, {}, 1};
    branch.points = {{0, 0, 0, 10}, {10, 0, 0, 10}};
    models::CableCell body;
    body.morphology = models::Morphology{{branch}};
    return body;
  }();
  return bare;
}

/// The mechanism is the first point process of its cell.
void NetworkDraft::add_artificial_cells() {
  for (std::uint32_t p = 0; p < network_.populations.size(); ++p) {
    const models::Population& population = network_.populations[p];
    const auto* cell = std::get_if<models::ArtificialCell>(&network_.cells[population.cell].kind);
    if (!cell) continue;
    for (std::uint64_t i = 0; i < population.size; ++i) {
      const CellAddress address = address_of(PopulationId(p), i);
      const NodeId middle(groups_[address.group].kinds[address.lane]->cell->branches[0].first_node);
      add_point(address, mechanism_of(cell->mechanism, mechanisms_), middle,
                synapse_values(cell->mechanism, address, middle, ":cell"));
      --compartments_;  // it has no membrane
    }
  }
}

std::optional<network::EventTarget> NetworkDraft::cell_target(PopulationId population,
                                                              const CellAddress& address) const {
  const models::Cell& cell = network_.cells[network_.populations[population.value].cell];
  if (!std::holds_alternative<models::ArtificialCell>(cell.kind)) return std::nullopt;
  const std::size_t block = groups_[address.group].plan.blocks.size();
  return network::EventTarget{static_cast<std::uint16_t>(block),
                              static_cast<std::uint16_t>(address.lane), 0,
                              network::EventTarget::no_slot};
}

network::EventTarget NetworkDraft::add_connection(const CellAddress& address,
                                                  network::EventTarget target, double weight) {
  GroupDraft& draft = groups_[address.group];
  PointDraft& points = draft.points[target.block - draft.plan.blocks.size()];
  const mechanisms::MechanismInfo& info = *points.mechanism->info;
  if (!info.keeps_arguments) return target;
  target.slot = static_cast<std::uint32_t>(points.arguments.size());
  points.arguments.resize(points.arguments.size() + static_cast<std::size_t>(info.arguments), 0);
  points.arguments[target.slot] = weight;
  points.connections.push_back(target);
  return target;
}

/// Sorts slots by the instance that the connections lead to.
void NetworkDraft::lay_out_connections(const GroupPlan& plan, PointDraft& points,
                                       MechanismBlock& block) {
  const auto lanes = static_cast<std::size_t>(plan.lanes);
  const auto place_of = [&](const network::EventTarget& target) {
    return target.instance * lanes + target.lane;
  };
  block.arguments = std::move(points.arguments);
  block.first_connection.assign(block.count * lanes + 1, 0);
  for (const auto& target : points.connections) ++block.first_connection[place_of(target) + 1];
  std::partial_sum(block.first_connection.begin(), block.first_connection.end(),
                   block.first_connection.begin());
  block.connections.resize(points.connections.size());
  std::vector<std::uint32_t> next(block.first_connection);
  for (const auto& target : points.connections)
    block.connections[next[place_of(target)]++] = target.slot;
  points.connections.clear();
}

}  // namespace hillock::simulator
