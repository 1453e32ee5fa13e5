// What the connections of a model would come to, told from their rules and one target cell each.

#include <algorithm>
#include <cmath>

#include "network/connection_draws.hpp"
#include "network/expected_connections.hpp"
#include "simulator/plan/network_plan.hpp"
#include "simulator/plan/range_builder.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

namespace {

/// One cell of a population, as a range of its own.
RangePlan range_of(const NetworkPlan& plan, PopulationId population, std::uint64_t index) {
  RangePlan one;
  one.population = plan.populations[population.value];
  one.indices = {index};
  one.kinds = plan.cells->kinds_of(*one.population, one.indices);
  return one;
}

/// What the connections of a projection come to.
struct Estimate {
  double connections = 0;  ///< one for each location
  double kept_bytes = 0, building_bytes = 0;
};

class ProjectionEstimate {
 public:
  ProjectionEstimate(const models::Network& network, const mechanisms::Registry& mechanisms,
                     std::size_t number)
      : network_(network),
        mechanisms_(mechanisms),
        number_(number),
        projection_(network.projections[number]),
        synapse_(std::get_if<models::Synapse>(&projection_.link)) {}

  /// Judged by the first target cell. ranges: on which target cells are.
  Estimate of(double connections, RangePlan first, double ranges) {
    const models::MechanismUse& use =
        synapse_ ? synapse_->mechanism : *mechanism_of_cells(network_, projection_.to.population);
    const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms_);
    const double locations = synapse_ ? location_count(first, mechanism) : 1;
    Estimate estimate;
    estimate.connections = connections * locations;
    const bool alike = std::ranges::all_of(
        use.parameters, [](const auto& entry) { return entry.second.is_constant(); });
    double instances = synapse_ ? estimate.connections : 0;
    if (synapse_ && alike && (synapse_->shared || can_merge(mechanism)))
      instances = std::min(instances, nodes_ * static_cast<double>(projection_.to.size()));
    const mechanisms::MechanismInfo& info = *mechanism.info;
    // An instance's columns, row, and whether it is there; in the plan its node and its count.
    const double instance_bytes =
        8.0 * (alike && info.is_linear ? info.states : info.count()) + sizeof(int) + sizeof(char);
    const double planned_bytes = sizeof(std::int32_t) + sizeof(std::uint32_t);
    // An entry's instance, slot, weight and delay; arguments and the way back to them; its source
    // while it is made.
    const models::Delay& delay = projection_.delay;
    const double slot = info.keeps_arguments ? sizeof(std::uint32_t) : 0;
    const double arguments = info.keeps_arguments ? 8.0 * info.arguments + sizeof(unsigned) : 0;
    const double entry_bytes = sizeof(std::uint32_t) + slot +
                               (projection_.weight.is_constant() ? 0 : 8) +
                               (delay.base_ms.is_constant() && !delay.velocity_um_per_ms ? 0 : 8);
    const double draft_bytes = growth * (entry_bytes + sizeof(std::uint32_t));
    const double here = estimate.connections / ranges;
    estimate.kept_bytes = instances * instance_bytes +
                          estimate.connections * (entry_bytes + arguments) +
                          ranges * index_bytes(here);
    estimate.building_bytes =
        instances / ranges * planned_bytes + here * (draft_bytes + sizeof(std::uint32_t));
    return estimate;
  }

 private:
  /// An array that grew by doubling has left behind as much as it holds.
  static constexpr double growth = 2;

  /// How entries are found by their source, of so many connections onto one range: FanIn.
  double index_bytes(double connections) const {
    const auto sources = static_cast<double>(projection_.from.size());
    const double there = sources * -std::expm1(-connections / sources);
    return sizeof(std::uint32_t) * (2 * there < sources ? 2 * there : sources);
  }

  /// Of one connection; notes on how many nodes of a cell there are such synapses.
  double location_count(RangePlan& first, const mechanisms::Mechanism& mechanism) {
    RangeDraft draft(network_, mechanisms_, first);
    draft.begin_cell(0);
    const network::ConnectionDraws draws(network_, number_);
    RandomStream locations = draws.location_stream({0, projection_.to.begin});
    const std::vector<NodeId> nodes = solver::resolve(*draft.kind().cell, synapse_->at, locations);
    for (const NodeId node : nodes)  // in vain, but wrong values are found
      draft.values_of(synapse_->mechanism, mechanism, node, {});
    const bool anywhere = synapse_->at.kind == models::Locations::Kind::uniform;
    nodes_ = static_cast<double>(anywhere ? draft.kind().cell->compartment_count() : nodes.size());
    return static_cast<double>(nodes.size());
  }

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  std::size_t number_;
  const models::Projection& projection_;
  const models::Synapse* synapse_;
  double nodes_ = 1;
};

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
  /// Who reads it, where it is, its number of two steps; of both sides.
  static constexpr double voltage_bytes = 2 * (2 * 8 + 2 * 16 + 2 * 8);

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

void expect_projections(const models::Network& network, const mechanisms::Registry& mechanisms,
                        NetworkPlan& plan) {
  double all = 0;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const auto expected = network::expect_connections(network, p);
    if (expected.count == 0) continue;
    if (std::holds_alternative<models::GapJunction>(network.projections[p].link)) {
      GapEstimate(network, mechanisms, p, plan).add(expected.count);
      continue;
    }
    const models::PopulationSlice& to = network.projections[p].to;
    const auto ranges =
        static_cast<double>(std::ranges::count(plan.made, to.population, &RangeMade::population));
    const Estimate estimate =
        ProjectionEstimate(network, mechanisms, p)
            .of(expected.count, range_of(plan, to.population, to.begin), std::max(1.0, ranges));
    plan.connection_memory.kept += static_cast<std::uint64_t>(estimate.kept_bytes);
    plan.connection_memory.building += static_cast<std::uint64_t>(estimate.building_bytes);
    all += estimate.connections;
    if (plan.shortest_delay_ms == 0 || expected.shortest_delay_ms < plan.shortest_delay_ms)
      plan.shortest_delay_ms = expected.shortest_delay_ms;
  }
  plan.connections = static_cast<std::uint64_t>(std::llround(all));
  plan.synapses += plan.connections;
}

}  // namespace hillock::simulator
