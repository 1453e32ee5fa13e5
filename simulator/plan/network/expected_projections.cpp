#include "simulator/plan/network/expected_projections.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "network/connection_draws.hpp"
#include "network/expected_connections.hpp"
#include "network/propagation/input_ring.hpp"
#include "network/propagation/synapse_table.hpp"
#include "simulator/plan/network/late_spikes.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/threads/thread_memory.hpp"
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

/// What an array that grew takes over what it holds. A small one has left behind as much again, or
/// does so when it goes; a large one's memory goes back to the system, and its last half is not
/// touched yet, or nothing where there is room from the beginning.
double growth_of(double bytes, bool has_room) {
  constexpr double large = large_piece_bytes;
  if (has_room) return bytes < large ? 1.5 : 1;
  return bytes < large ? 2 : 1.35;
}

/// Pairs are drawn in pieces of so many sources, each first in a list of its own. Where that is
/// small it leaves its memory behind, and a gap.
double left_behind_by(double pairs, std::uint64_t sources) {
  constexpr double sources_a_piece = 1024;
  const double piece =
      pairs * std::min(1.0, sources_a_piece / std::max(1.0, static_cast<double>(sources)));
  return piece * sizeof(network::Pair) < large_piece_bytes ? 1.25 * piece : 0;
}

/// What an end's instance takes, judged by one cell.
double gap_side_bytes(const models::Network& network, const mechanisms::Registry& mechanisms,
                      const std::optional<models::MechanismUse>& given, const models::Locations& at,
                      RandomStream stream, RangePlan& cell) {
  const models::MechanismUse use = given.value_or(models::MechanismUse{});
  const mechanisms::Mechanism& mechanism =
      given ? mechanism_of(use, mechanisms) : mechanisms.of_key(models::GapJunction::ohmic);
  RangeDraft draft(network, mechanisms, cell);
  draft.begin_cell(0);
  for (const NodeId node : solver::resolve(*draft.kind().cell, at, stream))
    draft.values_of(use, mechanism, node, {});  // in vain, but wrong values are found
  return 8.0 * mechanism.info->count() + sizeof(int) + sizeof(char);
}

}  // namespace

ExpectedGaps::ExpectedGaps(const models::Network& network, const mechanisms::Registry& mechanisms,
                           std::size_t projection, RangePlan target, RangePlan source)
    : projection_(&network.projections[projection]),
      junctions_(network::expected_connection_count(network, projection)) {
  // Of a side: where it is, where it goes, its number of two steps; who has the other one.
  constexpr double voltage_bytes = 2 * 16 + 2 * 8 + 2 * 8;
  target_bytes_ = source_bytes_ = voltage_bytes;
  if (junctions_ == 0) return;
  const auto& junction = std::get<models::GapJunction>(projection_->link);
  const network::ConnectionDraws draws(network, projection);
  const network::Connection first{projection_->from.begin, projection_->to.begin};
  target_bytes_ += gap_side_bytes(network, mechanisms, junction.mechanism, junction.at,
                                  draws.location_stream(first), target);
  if (junction.is_mutual())
    source_bytes_ += gap_side_bytes(network, mechanisms, junction.peer_mechanism, junction.peer_at,
                                    draws.peer_location_stream(first), source);
}

ConnectionMemory ExpectedGaps::memory(double targets, double sources, double ranges) const {
  ConnectionMemory memory;
  memory.kept =
      static_cast<std::uint64_t>(junctions_ * (targets * target_bytes_ + sources * source_bytes_));
  memory.connectors = static_cast<std::uint64_t>(
      junctions_ * (targets + sources - targets * sources) *
          static_cast<double>(network::GapTable::pair_bytes) +
      1.35 * junctions_ * (targets + sources) / ranges * sizeof(GapEndPlan));
  return memory;
}

double ring_bytes(const models::Network& network, const mechanisms::Registry& mechanisms,
                  PopulationId population, double longest_delay_ms) {
  const models::MechanismUse* const own = mechanism_of_cells(network, population);
  if (!own || longest_delay_ms == 0) return 0;
  const mechanisms::MechanismInfo& info = *mechanism_of(*own, mechanisms).info;
  if (!info.is_point_neuron) return 0;
  const models::PointStep step = network.step_of(population);
  constexpr std::size_t many = 64;  // whose sums fill cache lines
  network::InputRing ring(many, info.negative_input < 0 ? 1 : 2);
  ring.reach(step.most_in(network::delay_steps(longest_delay_ms, step)));
  return static_cast<double>(ring.bytes()) / many;
}

double expected_weights(const models::Network& network, const models::Recording& recording) {
  const std::size_t projection = recording.variable->projection;
  const models::PopulationSlice& of = recording.of;
  const models::PopulationSlice& to = network.projections[projection].to;
  const std::uint64_t begin = std::max(of.begin, to.begin), end = std::min(of.end, to.end);
  if (of.population != to.population || begin >= end) return 0;
  return network::expected_connection_count(network, projection) *
         static_cast<double>(end - begin) / static_cast<double>(to.size());
}

ExpectedProjection::ExpectedProjection(const models::Network& network,
                                       const mechanisms::Registry& mechanisms,
                                       std::size_t projection, RangePlan first)
    : projection_(&network.projections[projection]) {
  const auto expected = network::expect_connections(network, projection);
  if (expected.count == 0) return;
  const network::ConnectionDraws draws(network, projection);
  shortest_delay_ms_ = expected.shortest_delay_ms;
  longest_delay_ms_ = expected.longest_delay_ms;
  source_cells_ = network.populations[projection_->from.population.value].size;
  keeps_positions_ = draws.uses_positions();
  has_one_delay_ = projection_->delay.base_ms.is_constant() &&
                   !projection_->delay.velocity_um_per_ms &&
                   projection_->connect.rows.delays_ms.empty();
  const auto* synapse = std::get_if<models::Synapse>(&projection_->link);
  is_synapse_ = synapse && !synapse->points;
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
    const bool anywhere = synapse->at.kind == models::Locations::Kind::uniform ||
                          synapse->at.kind == models::Locations::Kind::listed;
    nodes_ = static_cast<double>(anywhere ? draft.kind().cell->compartment_count() : nodes.size());
    locations_ = static_cast<double>(nodes.size());
  }
  connections_ = expected.count * locations_;
  const bool alike = std::ranges::all_of(
      use.parameters, [](const auto& entry) { return entry.second.is_constant(); });
  merges_ = synapse && alike && (synapse->shared || can_merge(mechanism));
  const mechanisms::MechanismInfo& info = *mechanism.info;
  is_onto_points_ = info.is_point_neuron;
  // An instance's columns, row, and whether it is there.
  instance_bytes_ =
      8.0 * (alike && info.is_linear ? info.states : info.count()) + sizeof(int) + sizeof(char);
  // An entry's instance, slot, weight and delay; arguments and the way back to them.
  const double slot = info.keeps_arguments ? sizeof(std::uint32_t) : 0;
  argument_bytes_ = info.keeps_arguments ? 8.0 * info.arguments + sizeof(unsigned) : 0;
  const models::ConnectionRows& rows = projection_->connect.rows;
  has_one_weight_ = projection_->weight.is_constant() && rows.weights.empty();
  entry_bytes_ = sizeof(std::uint32_t) + slot + (has_one_weight_ && !projection_->stdp ? 0 : 8) +
                 (has_one_delay_ ? 0 : 8);
}

std::vector<double> ExpectedProjection::connections_of_ranks(
    const network::Placement& placement) const {
  std::vector<double> connections(static_cast<std::size_t>(placement.ranks()), 0);
  if (connections_ == 0) return connections;
  const models::PopulationSlice& to = projection_->to;
  if (projection_->connect.kind == ConnectionRule::Kind::list) {
    const models::ConnectionRows& rows = projection_->connect.rows;
    if (rows.size() == 0) return connections;
    // Of several ranks this one may have read a part of the rows.
    const double each =
        locations_ * static_cast<double>(rows.listed) / static_cast<double>(rows.size());
    for (const std::uint32_t target : rows.targets)
      connections[static_cast<std::size_t>(placement.rank_of(to.population, to.begin + target))] +=
          each;
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

/// How many sources so many connections onto one range have.
double ExpectedProjection::sources_of(double connections) const {
  const auto sources = static_cast<double>(projection_->from.size());
  return sources * -std::expm1(-connections / sources);
}

/// How entries are found by their source, of so many connections onto one range: FanIn.
double ExpectedProjection::index_bytes(double connections) const {
  const auto sources = static_cast<double>(projection_->from.size());
  const double there = sources_of(connections);
  return sizeof(std::uint32_t) * (2 * there < sources ? 2 * there : sources);
}

/// What its connector takes of so many connections.
void ExpectedProjection::add_connector(double connections, double targets,
                                       ConnectionMemory& memory) const {
  // Its places of cells, and its pairs, which were in pieces before.
  double connector = 0;
  if (keeps_positions_) {
    const bool recurrent = projection_->from.population == projection_->to.population;
    connector = 24 * (static_cast<double>(source_cells_) + (recurrent ? 0 : targets));
  }
  const double drawn = connections / locations_;
  double preparing = 0;
  if (projection_->connect.kind == ConnectionRule::Kind::fixed_outdegree) {
    connector += sizeof(std::uint32_t) * drawn + 8 * targets;
    preparing = sizeof(network::Pair) * (drawn + left_behind_by(drawn, projection_->from.size()));
  } else if (projection_->connect.kind == ConnectionRule::Kind::list) {
    connector += sizeof(std::uint32_t) * drawn + 8 * targets;
    preparing = 8 * targets;
  } else if (projection_->connect.kind == ConnectionRule::Kind::fixed_total_number) {
    connector += sizeof(std::uint32_t) * targets;
  }
  memory.connectors = static_cast<std::uint64_t>(connector);
  memory.preparing = static_cast<std::uint64_t>(preparing);
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
  // Where all onto a cell lead to one instance, this is noted once, and lists have room from the
  // beginning.
  const bool lead_to_one = is_onto_points_ || (merges_ && nodes_ == 1);
  const double noted_bytes = lead_to_one ? 0 : sizeof(std::uint32_t);
  // Lists of drawn numbers, which are larger, and of what has 4 bytes; one of them is twice there
  // when they are sorted.
  const double drawn_bytes =
      sizeof(double) * ((has_one_weight_ ? 0 : 1) + (has_one_delay_ ? 0 : 1));
  const double sorted = drawn_bytes > 0 ? sizeof(double) : sizeof(std::uint32_t);
  const double sorted_bytes = growth_of(here * sorted, lead_to_one) * sorted;
  const double draft_bytes = growth_of(here * sizeof(double), lead_to_one) * drawn_bytes +
                             growth_of(here * sizeof(std::uint32_t), lead_to_one) *
                                 (entry_bytes_ + noted_bytes - drawn_bytes);
  memory.kept = static_cast<std::uint64_t>(instances * instance_bytes_ +
                                           connections * (entry_bytes_ + argument_bytes_) +
                                           ranges * index_bytes(here));
  if (projection_->stdp) {  // the last spikes of every target and source: PlasticTable
    constexpr double target_bytes = 260, source_bytes = 24;
    memory.kept += static_cast<std::uint64_t>(targets * target_bytes +
                                              ranges * source_bytes *
                                                  static_cast<double>(projection_->from.size()));
  }
  // Point neurons pack them when all are made: a target with its delay, and a weight.
  constexpr double few = 1 << 16;  // targets, which have words of 16 bits
  const bool is_short = has_one_delay_ && targets / ranges <= few;
  const double packed_bytes = (is_short ? sizeof(std::uint16_t) : sizeof(std::uint32_t)) +
                              (has_one_weight_ ? 0 : sizeof(std::int32_t));
  if (is_onto_points_ && !projection_->stdp)
    memory.packed_away = static_cast<std::uint64_t>(connections * (entry_bytes_ - packed_bytes));
  memory.building = static_cast<std::uint64_t>(instances / ranges * planned_bytes +
                                               here * (draft_bytes + sorted_bytes));
  add_connector(connections, targets, memory);
  return memory;
}

BurstEvents ExpectedProjection::burst(double connections, double ranges, double epoch_ms) const {
  constexpr double burst_ms = 0.5;
  constexpr double peak = 1.35;  // in its middle a burst has more than in the mean
  const auto part_of = [](double ms) { return std::min(1.0, ms / burst_ms); };
  BurstEvents burst;
  burst.to = projection_->to.population;
  if (connections <= 0 || is_onto_points_) return burst;  // these add up what arrives
  const double here = connections / ranges;
  burst.on_a_range = here * part_of(epoch_ms);
  if (has_one_delay_) {  // what was handed out stays until the next epoch
    const double epochs = std::ceil(shortest_delay_ms_ / epoch_ms - 1e-6) + 1;
    burst.on_their_way = ranges * sources_of(here) * part_of(peak * epochs * epoch_ms);
    burst.of_an_arrival = here / sources_of(here);
  } else {
    burst.on_their_way = connections;
    burst.of_an_arrival = 1;
  }
  return burst;
}

void ConnectionMemory::add(const ConnectionMemory& next, PopulationId to) {
  preparing = std::max(preparing, connectors + next.connectors + next.preparing);
  kept += next.kept;
  packed_away += next.packed_away;
  if (building_onto_.size() <= to.value) building_onto_.resize(to.value + 1);
  building_onto_[to.value] += next.building;
  building = std::max(building, building_onto_[to.value]);
  connectors += next.connectors;
}

void expect_projections(const models::Network& network, const mechanisms::Registry& mechanisms,
                        NetworkPlan& plan) {
  double all = 0;
  plan.run.longest_onto_ms.resize(network.populations.size());
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const models::PopulationSlice& to = network.projections[p].to;
    const double count = network::expected_connection_count(network, p);
    if (count == 0) continue;
    if (std::holds_alternative<models::GapJunction>(network.projections[p].link)) {
      const models::PopulationSlice& from = network.projections[p].from;
      const ExpectedGaps gaps(network, mechanisms, p, range_of(plan, to.population, to.begin),
                              range_of(plan, from.population, from.begin));
      const ConnectionMemory memory =
          gaps.memory(1, 1, std::max<double>(1, static_cast<double>(plan.made.size())));
      plan.connection_memory.kept += memory.kept;
      plan.connection_memory.building += memory.connectors;
      plan.gap_junctions += static_cast<std::uint64_t>(std::llround(gaps.junctions()));
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
    plan.bursts.emplace_back([expected, ranges = std::max(1.0, ranges)](double epoch_ms) {
      return expected.burst(expected.connections(), ranges, epoch_ms);
    });
    all += expected.connections();
    add_delay(network, p, expected.shortest_delay_ms(), plan.late);
    double& longest_ms = plan.run.longest_onto_ms[to.population.value];
    if (!expected.is_plastic()) longest_ms = std::max(longest_ms, expected.longest_delay_ms());
    if (plan.shortest_delay_ms == 0 || expected.shortest_delay_ms() < plan.shortest_delay_ms)
      plan.shortest_delay_ms = expected.shortest_delay_ms();
  }
  for (std::uint32_t p = 0; p < network.populations.size(); ++p)
    plan.connection_memory.rings += static_cast<std::uint64_t>(
        static_cast<double>(network.populations[p].size) *
        ring_bytes(network, mechanisms, PopulationId(p), plan.run.longest_onto_ms[p]));
  plan.connections = static_cast<std::uint64_t>(std::llround(all));
  plan.synapses += plan.connections;
}

void expect_recorded_weights(const models::Network& network, NetworkPlan& plan) {
  std::size_t report = 0;
  for (const models::Recording& recording : network.recordings) {
    if (!recording.variable) continue;
    models::ReportLayout& layout = plan.reports[report++];
    if (recording.variable->kind != models::RecordedVariable::Kind::weight) continue;
    const double columns = expected_weights(network, recording);
    layout.element_ids.resize(static_cast<std::size_t>(std::llround(columns)));
    layout.element_pos.resize(layout.element_ids.size());
  }
}

}  // namespace hillock::simulator
