#include "simulator/plan/range/gap_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors/errors.hpp"
#include "simulator/step/integrators.hpp"
#include "solver/cable/extracellular.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

namespace {

using network::GapSide;

const models::GapJunction& junction_of(const models::Projection& projection) {
  return std::get<models::GapJunction>(projection.link);
}

/// What stands on a side that reads its peer: nothing where a conductance makes the junction.
const models::MechanismUse* use_on(const models::GapJunction& junction, GapSide side) {
  if (!junction.mechanism) return nullptr;
  return side == GapSide::target ? &*junction.mechanism : &*junction.peer_mechanism;
}

const mechanisms::Mechanism& mechanism_on(const models::GapJunction& junction, GapSide side,
                                          const mechanisms::Registry& mechanisms) {
  const models::MechanismUse* const use = use_on(junction, side);
  return use ? mechanism_of(*use, mechanisms) : mechanisms.of_key(models::GapJunction::ohmic);
}

}  // namespace

bool follows_gaps(const mechanisms::Mechanism& mechanism) {
  // What it reads is a state as well.
  return mechanism.signature.reads_peer() &&
         (mechanism.info->states > 1 || mechanism.info->changes_parameters);
}

bool has_states_that_follow_gaps(const models::Network& network,
                                 const mechanisms::Registry& mechanisms) {
  return std::ranges::any_of(network.projections, [&](const models::Projection& projection) {
    if (!std::holds_alternative<models::GapJunction>(projection.link)) return false;
    const models::GapJunction& junction = junction_of(projection);
    return follows_gaps(mechanism_on(junction, GapSide::target, mechanisms)) ||
           (junction.is_mutual() &&
            follows_gaps(mechanism_on(junction, GapSide::source, mechanisms)));
  });
}

NodeId node_of_end(const models::Network& network, const models::Projection& projection,
                   std::uint32_t row, GapSide side, const solver::Template& cell,
                   RandomStream stream) {
  const models::GapJunction& junction = junction_of(projection);
  const models::ConnectionRows& rows = projection.connect.rows;
  const auto at = [&](std::uint32_t branch, double position) {
    return solver::node_at(cell, static_cast<int>(branch), position);
  };
  if (side == GapSide::target && junction.points) {
    const models::PointList& points = network.points[*junction.points];
    return at(points.branches[rows.points[row]], points.positions[rows.points[row]]);
  }
  const models::Locations& places = side == GapSide::target ? junction.at : junction.peer_at;
  if (places.kind == models::Locations::Kind::listed)
    return at(rows.branches[row], rows.positions[row]);
  return solver::resolve(cell, places, stream).front();
}

void GapBuilder::add_projection(const models::Projection& projection) {
  const PopulationId here = draft_.plan().population->id;
  const models::GapJunction& junction = junction_of(projection);
  const auto add = [&](GapSide side) {
    draft_.set_of(mechanism_on(junction, side, draft_.mechanisms()));
  };
  if (projection.to.population == here) add(GapSide::target);
  if (projection.from.population == here && junction.is_mutual()) add(GapSide::source);
}

void GapBuilder::add_to_cell() {
  for (const network::GapEnd& end : sources_.gaps->ends_of(draft_.identity().id)) {
    GapEndPlan planned = place(end);
    if (end.reads != network::GapEnd::none) add_instance(end, planned);
    draft_.plan().gap_ends.push_back(planned);
  }
}

GapEndPlan GapBuilder::place(const network::GapEnd& end) const {
  const network::GapPair& pair = sources_.gaps->pairs()[end.pair];
  const network::ConnectionDraws& draws = sources_.connectors[pair.projection]->draws();
  const models::Projection& projection = draft_.network().projections[pair.projection];
  const models::GapJunction& junction = junction_of(projection);
  const bool on_target = end.side == GapSide::target;
  GapEndPlan planned;
  planned.cell = static_cast<std::uint32_t>(draft_.cell());
  planned.node = node_of_end(draft_.network(), projection, pair.row, end.side, *draft_.kind().cell,
                             on_target ? draws.location_stream(pair.connection())
                                       : draws.peer_location_stream(pair.connection()));
  planned.publishes = end.publishes;
  if (junction.reads && !on_target)
    planned.published = &draft_.network().pointer_targets[*junction.reads];
  planned.reads = end.reads;
  return planned;
}

/// Where there is no membrane, an extrapolated voltage is as far beyond its peer's as it was on
/// this side of it, and more by every step (docs/cable.md).
void GapBuilder::check_stability(const models::Locations& at, NodeId node) const {
  if (!step::extrapolates(draft_.network().run.integrator)) return;
  const CellKind& kind = draft_.kind();
  if (kind.cell->area_um2(static_cast<std::size_t>(node.value)) > 0) return;
  reject(at.place,
         fmt::format("a gap junction at {} of {}, where there is no membrane, is not stable under "
                     "crank_nicolson (put it into a compartment, as at 0.5 of a branch, or use "
                     "backward_euler)",
                     kind.cell->describe(node), draft_.identity().name()));
}

/// Gap junctions join the insides of cells, where electrodes are.
void GapBuilder::check_layers(const models::Locations& at, NodeId node,
                              const mechanisms::Mechanism& mechanism) const {
  const solver::Template& cell = *draft_.kind().cell;
  if (!cell.extracellular || mechanism.signature.is_electrode ||
      !cell.extracellular->has[cell.slot_of(static_cast<std::size_t>(node.value))])
    return;
  reject(at.place,
         fmt::format("a gap junction at {} of {}, around which there are extracellular "
                     "layers, has to have a mechanism with ELECTRODE_CURRENT: that of {} "
                     "passes through the membrane",
                     cell.describe(node), draft_.identity().name(), mechanism.signature.name));
}

void GapBuilder::add_instance(const network::GapEnd& end, GapEndPlan& planned) {
  const network::GapPair& pair = sources_.gaps->pairs()[end.pair];
  const models::Projection& projection = draft_.network().projections[pair.projection];
  const models::GapJunction& junction = junction_of(projection);
  static const models::MechanismUse defaults;
  const models::MechanismUse* const use = use_on(junction, end.side);
  const mechanisms::Mechanism& mechanism = mechanism_on(junction, end.side, draft_.mechanisms());
  const bool on_target = end.side == GapSide::target;
  const models::Locations& at = on_target ? junction.at : junction.peer_at;
  check_stability(at, planned.node);
  check_layers(at, planned.node, mechanism);
  const std::uint32_t set = draft_.set_of(mechanism);
  planned.block = set;
  planned.variable = static_cast<std::size_t>(mechanism.column(peer_voltage_name));
  if (junction.points) {
    planned.instance =
        points_.instance_of(*junction.points, projection.connect.rows.points[pair.row]);
    return;
  }
  // Draws are named by the junction, and an end by the other cell of the pair.
  const SynapseKey key{on_target ? "" : ":peer",
                       {pair.projection, on_target ? pair.source : pair.target, pair.k},
                       3};
  std::vector<double> values =
      draft_.values_of(use ? *use : defaults, mechanism, planned.node, key);
  if (!junction.mechanism)
    values[static_cast<std::size_t>(mechanism.column("g"))] =
        sources_.connectors[pair.projection]->draws().conductance_uS(pair.connection());
  planned.instance = draft_.add_point(set, planned.node, values, MergedInstances::linear);
}

}  // namespace hillock::simulator
