#include "simulator/plan/range/range_builder.hpp"

#include <algorithm>
#include <cmath>

#include "core/program/asker.hpp"
#include "simulator/plan/range/gap_builder.hpp"
#include "simulator/plan/range/points_builder.hpp"
#include "simulator/plan/range/synapse_maker.hpp"

namespace hillock::simulator {

namespace {

/// The connections of one projection onto the cells of a range.
class ProjectionBuilder {
 public:
  /// points: of the range's population.
  ProjectionBuilder(RangeDraft& draft, const network::Connector& connector,
                    const PointsBuilder& points, Activity& made)
      : draft_(draft),
        points_(points),
        connector_(connector),
        projection_(connector.projection()),
        synapse_(std::get_if<models::Synapse>(&projection_.link)),
        made_(made) {
    const Asker asker = as_asker();
    const bool onto_points = synapse_ && synapse_->points;
    if (synapse_ && !onto_points)
      maker_.emplace(draft, synapse_->mechanism, synapse_->at, synapse_->shared);
    else
      own_ = &mechanism_of(onto_points
                               ? synapse_->mechanism
                               : *mechanism_of_cells(draft.network(), projection_.to.population),
                           draft.mechanisms());
    set_ = maker_ ? maker_->set() : draft.set_of(*own_);
    lead_to_one_ =
        !onto_points && (!maker_ || maker_->is_one_a_cell()) && !mechanism().info->keeps_arguments;
    are_alike_ = connector.draws().are_alike() && lead_to_one_;
    make_room();
  }

  void add_to_cell() {
    const std::uint64_t target = draft_.identity().index;
    if (target < projection_.to.begin || target >= projection_.to.end) return;
    const Asker asker = as_asker();
    if (are_alike_) return add_alike(target);
    const network::TargetConnections connections = connector_.connect(target, scratch_);
    if (mechanism().signature.refuses_negative_weights())
      for (const double weight : connections.weights)
        if (weight < 0) check_weight(mechanism(), weight, projection_.weight.place());
    if (lead_to_one_)
      add_to_one(connections);
    else
      add_each(connections);
    made_.add(connections.size());
  }

  /// first_cells: [population]
  network::FanInTable take(std::span<const CellId> first_cells) {
    const Asker asker = as_asker();
    const models::PopulationSlice& from = projection_.from;
    return {set_, first_cells[from.population.value].value + from.begin, from.size(),
            table_.sorted(from.size()), static_cast<std::uint32_t>(connector_.draws().number())};
  }

 private:
  Asker as_asker() const { return {Asked::connections, "projection", projection_.name}; }
  const mechanisms::Mechanism& mechanism() const { return maker_ ? maker_->mechanism() : *own_; }

  /// For as many connections as the range will have, where its cells stand in the model's order.
  void make_room() {
    const std::vector<std::uint64_t>& cells = draft_.plan().indices;
    const std::uint64_t stride = cells.size() > 1 ? cells[1] - cells[0] : 1;
    if (stride == 0 || cells.back() - cells.front() != stride * (cells.size() - 1) || !lead_to_one_)
      return;
    constexpr double most = 1 << 26;  // a rule that asks for too many has not been refused yet
    const double expected =
        connector_.expected_connections({cells.front(), cells.back() + 1, stride});
    // Room that nothing comes into costs nothing, a list that is too short half as much again.
    table_.reserve(static_cast<std::size_t>(std::min(most, expected + 4 * std::sqrt(expected))),
                   are_alike_);
  }

  /// What all connections onto the cell have in common is found once.
  void add_alike(std::uint64_t target) {
    const std::span<const std::uint32_t> sources = connector_.sources(target, scratch_);
    if (sources.empty()) return;
    const network::Connection one = connector_.draws().connection(sources.front(), target, 0);
    check_weight(mechanism(), one.weight, projection_.weight.place());
    const std::span<const std::uint32_t> instances = instances_of(sources.size());
    const auto entry_of = [&](std::uint32_t instance) {
      return network::FanInEntry{instance, network::FanIn::no_slot, one.weight, one.delay_ms};
    };
    if (instances.size() == 1) {
      table_.add(sources, projection_.from.begin, entry_of(instances.front()));
    } else {
      for (std::size_t i = 0; i < sources.size(); ++i)
        for (const std::uint32_t instance : instances)
          table_.add(sources.subspan(i, 1), projection_.from.begin, entry_of(instance));
    }
    made_.add(sources.size());
  }

  /// Connections that differ in their weights and delays, but not in where they lead.
  void add_to_one(const network::TargetConnections& made) {
    const std::span<const std::uint32_t> instances = instances_of(made.size());
    const std::uint64_t first = projection_.from.begin;
    if (instances.size() == 1)
      return table_.add(made.sources, first, instances.front(), made.weights, made.delays_ms);
    for (std::size_t i = 0; i < made.size(); ++i)
      for (const std::uint32_t instance : instances)
        table_.add(made.sources.subspan(i, 1), first, instance, made.weights.subspan(i, 1),
                   made.delays_ms.subspan(i, 1));
  }

  void add_each(const network::TargetConnections& made) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      const network::Connection connection = made[i];
      connector_.draws().arguments(
          connection, made.rows.empty() ? std::nullopt : std::optional<std::size_t>(made.rows[i]),
          arguments_);
      for (const std::uint32_t instance : instances(made, i)) {
        const std::uint32_t slot =
            draft_.add_connection(set_, instance, connection.weight, arguments_);
        table_.add(static_cast<std::uint32_t>(connection.source - projection_.from.begin),
                   {instance, slot, connection.weight, connection.delay_ms});
      }
    }
  }

  /// Those of so many connections that lead to the same ones.
  std::span<const std::uint32_t> instances_of(std::size_t connections) {
    if (maker_) return maker_->make_one(static_cast<std::uint32_t>(connections));
    cell_instance_ = static_cast<std::uint32_t>(draft_.cell());
    return {&cell_instance_, 1};
  }

  /// Those of one connection: of an artificial cell, itself.
  std::span<const std::uint32_t> instances(const network::TargetConnections& made, std::size_t i) {
    if (synapse_ && synapse_->points) {
      cell_instance_ =
          points_.instance_of(*synapse_->points, projection_.connect.rows.points[made.rows[i]]);
      return {&cell_instance_, 1};
    }
    if (!maker_) return instances_of(1);
    const network::Connection connection = made[i];
    const SynapseKey key{"", {connector_.draws().number(), connection.source, connection.k}, 3};
    if (!made.branches.empty()) return maker_->make_at(made.branches[i], made.positions[i], key);
    return maker_->make(connector_.draws().location_stream(connection), key);
  }

  RangeDraft& draft_;
  const PointsBuilder& points_;
  const network::Connector& connector_;
  const models::Projection& projection_;
  const models::Synapse* synapse_;  ///< null: the target cells take events themselves
  Activity& made_;
  const mechanisms::Mechanism* own_ = nullptr;  ///< of cells or points that are there
  std::optional<SynapseMaker> maker_;           ///< of instances of the projection's own
  std::uint32_t set_ = 0;
  bool lead_to_one_ =
      false;                ///< connections onto a cell keep nothing and lead to the same instances
  bool are_alike_ = false;  ///< and differ in their sources alone
  std::uint32_t cell_instance_ = 0;
  std::vector<double> arguments_;  ///< of the connection at hand
  network::Connector::Scratch scratch_;
  network::FanInDraft table_;
};

/// An artificial cell's only instance, on the middle of its bare compartment.
void add_own_instance(RangeDraft& draft, const models::MechanismUse& use) {
  const mechanisms::Mechanism& mechanism = mechanism_of(use, draft.mechanisms());
  const NodeId middle(draft.kind().cell->branches[0].first_node);
  draft.add_point(draft.set_of(mechanism), middle,
                  draft.values_of(use, mechanism, middle, {":cell"}), MergedInstances::linear);
}

}  // namespace

const models::MechanismUse* mechanism_of_cells(const models::Network& network,
                                               PopulationId population) {
  const models::Cell& cell = network.cells[network.populations[population.value].cell];
  const auto* artificial = std::get_if<models::ArtificialCell>(&cell.kind);
  return artificial ? &artificial->mechanism : nullptr;
}

void build_range(const RangeSources& sources, RangePlan& plan, Activity& made) {
  RangeDraft draft(sources.network, sources.mechanisms, plan);
  const PopulationId population = plan.population->id;
  const models::MechanismUse* own = mechanism_of_cells(sources.network, population);
  if (own) draft.set_of(mechanism_of(*own, sources.mechanisms));
  PointsBuilder points(draft, sources.of->points[population.value]);
  std::vector<ProjectionBuilder> projections;
  const std::vector<std::uint32_t>& numbers = sources.of->projections[population.value];
  projections.reserve(numbers.size());
  GapBuilder gaps(draft, sources, points);
  for (const std::uint32_t number : numbers) {
    const auto& connector = sources.connectors[number];
    if (!connector) continue;
    if (std::holds_alternative<models::GapJunction>(connector->projection().link))
      gaps.add_projection(connector->projection());
    else
      projections.emplace_back(draft, *connector, points, made);
  }
  StimulusBuilder stimuli(draft, sources.of->stimuli[population.value]);
  for (std::size_t c = 0; c < plan.cell_count(); ++c) {
    draft.begin_cell(c);
    if (own) add_own_instance(draft, *own);
    points.add_to_cell();
    for (ProjectionBuilder& projection : projections) projection.add_to_cell();
    if (sources.gaps) gaps.add_to_cell();
    if (sources.wired) sources.wired->add_to_cell(draft);
    stimuli.add_to_cell();
  }
  for (ProjectionBuilder& projection : projections)
    plan.projections.push_back(projection.take(sources.of->first_cells));
  stimuli.finish();
  draft.finish();
  add_ions(sources.network, plan);
  add_pointers(sources.network, plan);
}

}  // namespace hillock::simulator
