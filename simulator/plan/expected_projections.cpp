#include "simulator/plan/expected_projections.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "network/connection_draws.hpp"
#include "network/expected_connections.hpp"
#include "simulator/plan/range_builder.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

namespace {

using models::ConnectionRule;

/// One cell of a population, as a range of its own.
RangePlan range_of(const NetworkPlan& plan, PopulationId population, std::uint64_t index) {
  RangePlan one;
  one.population = plan.populations[population.value];
  one.indices = {index};
  one.kinds = plan.cells->kinds_of(*one.population, one.indices);
  return one;
}

/// What an array that grew takes over what it holds. A small one has left behind as much again; a
/// large one's memory goes back to the system, and its last half is not touched yet. Where there is
/// room from the beginning, small ones leave something behind when they go.
double growth_of(double bytes, bool has_room) {
  constexpr double large = 32 << 20;  // glibc's largest threshold of mmap
  if (has_room) return bytes < large ? 1.5 : 1;
  return bytes < large ? 2 : 1.35;
}

/// What the sides of gap junctions come to, judged by the first cell of each.
class GapEstimate {
 public:
  GapEstimate(const models::Network& network, const mechanisms::Registry& mechanisms,
              std::size_t number, NetworkPlan& plan)
      : network_(network),
        mechanisms_(mechanisms),
        projection_(network.projections[number]),
        junction_(std::get<models::GapJunction>(projection_.link)),
        draws_(network, number),
        plan_(plan) {}

  void add(double junctions) {
    static const models::MechanismUse ohmic{models::GapJunction::ohmic, {}, {}};
    const network::Connection first{projection_.from.begin, projection_.to.begin};
    double bytes = voltage_bytes;
    bytes += side_bytes(junction_.mechanism ? *junction_.mechanism : ohmic,
                        range_of(plan_, projection_.to.population, first.target), junction_.at,
                        draws_.location_stream(first));
    if (junction_.is_mutual())
      bytes += side_bytes(junction_.mechanism ? *junction_.peer_mechanism : ohmic,
                          range_of(plan_, projection_.from.population, first.source),
                          junction_.peer_at, draws_.peer_location_stream(first));
    plan_.connection_memory.kept += static_cast<std::uint64_t>(junctions * bytes);
    plan_.connection_memory.building +=
        static_cast<std::uint64_t>(junctions * static_cast<double>(network::GapTable::pair_bytes));
    plan_.gap_junctions += static_cast<std::uint64_t>(std::llround(junctions));
  }

 private:
  /// Where it is, where it goes, its number of two steps; of both sides.
  static constexpr double voltage_bytes = 2 * (2 * 16 + 2 * 8);

  double side_bytes(const models::MechanismUse& use, RangePlan cell, const models::Locations& at,
                    RandomStream stream) {
    const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms_);
    RangeDraft draft(network_, mechanisms_, cell);
    draft.begin_cell(0);
    for (const NodeId node : solver::resolve(*draft.kind().cell, at, stream))
      draft.values_of(use, mechanism, node, {});  // in vain, but wrong values are found
    return 8.0 * mechanism.info->count() + sizeof(int) + sizeof(char);
  }

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  const models::Projection& projection_;
  const models::GapJunction& junction_;
  network::ConnectionDraws draws_;
  NetworkPlan& plan_;
};

}  // namespace

ExpectedProjection::ExpectedProjection(const models::Network& network,
                                       const mechanisms::Registry& mechanisms,
                                       std::size_t projection, RangePlan first)
    : projection_(&network.projections[projection]) {
  const auto expected = network::expect_connections(network, projection);
  if (expected.count == 0) return;
  const network::ConnectionDraws draws(network, projection);
  shortest_delay_ms_ = expected.shortest_delay_ms;
  source_cells_ = network.populations[projection_->from.population.value].size;
  target_cells_ = network.populations[projection_->to.population.value].size;
  keeps_positions_ = draws.uses_positions();
  const auto* synapse = std::get_if<models::Synapse>(&projection_->link);
  is_synapse_ = synapse != nullptr;
  const models::MechanismUse& use =
      synapse ? synapse->mechanism : *mechanism_of_cells(network, projection_->to.population);
  const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms);
  if (synapse) {
    RangeDraft draft(network, mechanisms, first);
    draft.begin_cell(0);
    RandomStream locations = draws.location_stream({0, projection_->to.begin});
    const std::vector<NodeId> nodes = solver::resolve(*draft.kind().cell, synapse->at, locations);
    for (const NodeId node : nodes)  // in vain, but wrong values are found
      draft.values_of(synapse->mechanism, mechanism, node, {});
    const bool anywhere = synapse->at.kind == models::Locations::Kind::uniform;
    nodes_ = static_cast<double>(anywhere ? draft.kind().cell->compartment_count() : nodes.size());
    locations_ = static_cast<double>(nodes.size());
  }
  connections_ = expected.count * locations_;
  const bool alike = std::ranges::all_of(
      use.parameters, [](const auto& entry) { return entry.second.is_constant(); });
  merges_ = synapse && alike && (synapse->shared || can_merge(mechanism));
  const mechanisms::MechanismInfo& info = *mechanism.info;
  // An instance's columns, row, and whether it is there.
  instance_bytes_ =
      8.0 * (alike && info.is_linear ? info.states : info.count()) + sizeof(int) + sizeof(char);
  // An entry's instance, slot, weight and delay; arguments and the way back to them.
  const models::Delay& delay = projection_->delay;
  const double slot = info.keeps_arguments ? sizeof(std::uint32_t) : 0;
  argument_bytes_ = info.keeps_arguments ? 8.0 * info.arguments + sizeof(unsigned) : 0;
  const models::ConnectionRows& rows = projection_->connect.rows;
  const bool one_weight = projection_->weight.is_constant() && rows.weights.empty();
  const bool one_delay =
      delay.base_ms.is_constant() && !delay.velocity_um_per_ms && rows.delays_ms.empty();
  entry_bytes_ = sizeof(std::uint32_t) + slot + (one_weight ? 0 : 8) + (one_delay ? 0 : 8);
}

std::vector<double> ExpectedProjection::connections_of_ranks(
    const network::Placement& placement) const {
  std::vector<double> connections(static_cast<std::size_t>(placement.ranks()), 0);
  if (connections_ == 0) return connections;
  const models::PopulationSlice& to = projection_->to;
  if (projection_->connect.kind == ConnectionRule::Kind::list) {
    for (const std::uint32_t target : projection_->connect.rows.targets)
      connections[static_cast<std::size_t>(placement.rank_of(to.population, to.begin + target))] +=
          locations_;
    return connections;
  }
  for (int rank = 0; rank < placement.ranks(); ++rank) {
    const network::CellSet cells = placement.cells_of(to.population, rank);
    connections[static_cast<std::size_t>(rank)] =
        connections_ * static_cast<double>(cells.within(to.begin, to.end).size()) /
        static_cast<double>(to.size());
  }
  return connections;
}

/// How entries are found by their source, of so many connections onto one range: FanIn.
double ExpectedProjection::index_bytes(double connections) const {
  const auto sources = static_cast<double>(projection_->from.size());
  const double there = sources * -std::expm1(-connections / sources);
  return sizeof(std::uint32_t) * (2 * there < sources ? 2 * there : sources);
}

ConnectionMemory ExpectedProjection::memory(double connections, double targets,
                                            double ranges) const {
  ConnectionMemory memory;
  if (connections <= 0) return memory;
  double instances = is_synapse_ ? connections : 0;
  if (merges_) instances = std::min(instances, nodes_ * targets);
  // In the plan an instance has its node and its count; an entry its source while it is made.
  const double planned_bytes = sizeof(std::int32_t) + sizeof(std::uint32_t);
  const double here = connections / ranges;
  // Of connections that differ in their sources alone there is room from the beginning.
  const bool are_alike = merges_ && entry_bytes_ == sizeof(std::uint32_t);
  const double growth = growth_of(here * sizeof(double), are_alike);
  const double draft_bytes = growth * (entry_bytes_ + sizeof(std::uint32_t));
  memory.kept = static_cast<std::uint64_t>(instances * instance_bytes_ +
                                           connections * (entry_bytes_ + argument_bytes_) +
                                           ranges * index_bytes(here));
  memory.building = static_cast<std::uint64_t>(instances / ranges * planned_bytes +
                                               here * (draft_bytes + sizeof(std::uint32_t)));
  // A connector's places of cells, and its pairs, which were in pieces before.
  double connector = 0;
  if (keeps_positions_) {
    const bool recurrent = projection_->from.population == projection_->to.population;
    connector = 24 * (static_cast<double>(source_cells_) + (recurrent ? 0 : targets));
  }
  const double drawn = connections / locations_;
  double preparing = 0;
  if (projection_->connect.kind == ConnectionRule::Kind::fixed_outdegree) {
    connector += sizeof(std::uint32_t) * drawn + 8 * targets;
    preparing = sizeof(network::Pair) * drawn;
  } else if (projection_->connect.kind == ConnectionRule::Kind::list) {
    connector += sizeof(std::uint32_t) * drawn + 8 * targets;
    preparing = 8 * targets;
  } else if (projection_->connect.kind == ConnectionRule::Kind::fixed_total_number) {
    connector += sizeof(std::uint32_t) * targets;
  }
  memory.connectors = static_cast<std::uint64_t>(connector);
  memory.preparing = static_cast<std::uint64_t>(preparing);
  return memory;
}

void ConnectionMemory::add(const ConnectionMemory& next, PopulationId to) {
  preparing = std::max(preparing, connectors + next.connectors + next.preparing);
  kept += next.kept;
  if (building_onto_.size() <= to.value) building_onto_.resize(to.value + 1);
  building_onto_[to.value] += next.building;
  building = std::max(building, building_onto_[to.value]);
  connectors += next.connectors;
}

void expect_projections(const models::Network& network, const mechanisms::Registry& mechanisms,
                        NetworkPlan& plan) {
  double all = 0;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::PopulationSlice& to = network.projections[p].to;
    const double count = network::expected_connection_count(network, p);
    if (count == 0) continue;
    if (std::holds_alternative<models::GapJunction>(network.projections[p].link)) {
      GapEstimate(network, mechanisms, p, plan).add(count);
      continue;
    }
    const ExpectedProjection expected(network, mechanisms, p,
                                      range_of(plan, to.population, to.begin));
    const auto ranges =
        static_cast<double>(std::ranges::count(plan.made, to.population, &RangeMade::population));
    plan.connection_memory.add(
        expected.memory(expected.connections(), static_cast<double>(to.size()),
                        std::max(1.0, ranges)),
        to.population);
    all += expected.connections();
    if (plan.shortest_delay_ms == 0 || expected.shortest_delay_ms() < plan.shortest_delay_ms)
      plan.shortest_delay_ms = expected.shortest_delay_ms();
  }
  plan.connections = static_cast<std::uint64_t>(std::llround(all));
  plan.synapses += plan.connections;
}

}  // namespace hillock::simulator
