// What the connections of a model would come to, told from their rules and one target cell each.

#include <algorithm>
#include <cmath>

#include "network/connection_draws.hpp"
#include "network/expected_connections.hpp"
#include "simulator/plan/network_plan.hpp"
#include "simulator/plan/range_builder.hpp"

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
  double connections = 0;  ///< one for each place
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

  /// Judged by the first target cell.
  Estimate of(double connections, RangePlan first) {
    const models::MechanismUse& use =
        synapse_ ? synapse_->mechanism : *mechanism_of_cells(network_, projection_.to.population);
    const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms_);
    const double places = synapse_ ? place_count(first, mechanism) : 1;
    Estimate estimate;
    estimate.connections = connections * places;
    const bool alike = std::ranges::all_of(
        use.parameters, [](const auto& entry) { return entry.second.is_constant(); });
    double instances = synapse_ ? estimate.connections : 0;
    if (synapse_ && alike && (synapse_->shared || can_merge(mechanism)))
      instances = std::min(instances, nodes_ * static_cast<double>(projection_.to.size()));
    const mechanisms::MechanismInfo& info = *mechanism.info;
    const double instance_bytes = 8.0 * info.count() + 8;
    const double argument_bytes = info.keeps_arguments ? 8.0 * info.arguments + 4 + 4 : 0;
    const models::Delay& delay = projection_.delay;
    const double entry_bytes = 4 + argument_bytes + (projection_.weight.is_constant() ? 0 : 8) +
                               (delay.base_ms.is_constant() && !delay.velocity_um_per_ms ? 0 : 8);
    estimate.kept_bytes = instances * instance_bytes + estimate.connections * entry_bytes;
    estimate.building_bytes = instances * instance_bytes;
    return estimate;
  }

 private:
  /// Of one connection; notes on how many nodes of a cell there are such synapses.
  double place_count(RangePlan& first, const mechanisms::Mechanism& mechanism) {
    RangeDraft draft(network_, mechanisms_, first);
    draft.begin_cell(0);
    const network::ConnectionDraws draws(network_, number_);
    RandomStream places = draws.place_stream({0, projection_.to.begin});
    const std::vector<NodeId> nodes = solver::resolve(*draft.kind().cell, synapse_->at, places);
    for (const NodeId node : nodes)  // in vain, but wrong values are found
      draft.values_of(synapse_->mechanism, mechanism, node, "");
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

}  // namespace

void expect_projections(const models::Network& network, const mechanisms::Registry& mechanisms,
                        NetworkPlan& plan) {
  double all = 0;
  for (std::size_t p = 0; p < network.projections.size(); ++p) {
    const auto expected = network::expect_connections(network, p);
    if (expected.count == 0) continue;
    const models::PopulationSlice& to = network.projections[p].to;
    const Estimate estimate = ProjectionEstimate(network, mechanisms, p)
                                  .of(expected.count, range_of(plan, to.population, to.begin));
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
