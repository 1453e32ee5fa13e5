#include "simulator/network_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/errors.hpp"
#include "network/connectivity.hpp"

namespace hillock::simulator {

namespace {

/// A parameter's value, which must lie within its limits wherever it is evaluated.
double checked(double number, const MechanismVariable& variable, const models::Value& value,
               const std::string& what, const solver::Template& cell, NodeId node) {
  const bool below =
      variable.minimum_excluded ? number <= variable.minimum : number < variable.minimum;
  if (!std::isfinite(number) || below || number > variable.maximum)
    reject(value.place(),
           fmt::format("{} is {:.6g} at {} (it must lie between {:.6g} and {:.6g})", what, number,
                       cell.describe(node), variable.minimum, variable.maximum));
  return number;
}

/// The draft of a mechanism's instances in a group, and the block it will be.
PointDraft& points_of(GroupDraft& draft, const mechanisms::Mechanism& mechanism,
                      std::size_t& block) {
  for (std::size_t i = 0; i < draft.points.size(); ++i) {
    if (draft.points[i].mechanism != &mechanism) continue;
    block = draft.plan.blocks.size() + i;
    return draft.points[i];
  }
  block = draft.plan.blocks.size() + draft.points.size();
  draft.points.push_back({&mechanism, {}, {}, {}});
  draft.points.back().lanes.resize(static_cast<std::size_t>(draft.plan.lanes));
  return draft.points.back();
}

/// Tells apart instances that cannot be one.
std::uint64_t hash_of(NodeId node, const std::vector<double>& values) {
  auto hash = static_cast<std::uint64_t>(node.value) + 0x9e3779b97f4a7c15;
  for (const double value : values)
    hash = (hash ^ (hash >> 29) ^ std::bit_cast<std::uint64_t>(value)) * 0xbf58476d1ce4e5b9;
  return hash;
}

}  // namespace

std::size_t cell_of_lane(const GroupDraft& draft, std::size_t lane) {
  return std::min(lane, draft.cells.size() - 1);
}

NetworkDraft::NetworkDraft(const models::Network& network, const mechanisms::Registry& mechanisms,
                           const BuildOptions& options)
    : network_(network), mechanisms_(mechanisms), options_(options) {
  make_groups();
  add_artificial_cells();
}

void NetworkDraft::make_groups() {
  const auto width = static_cast<std::size_t>(options_.widest);
  options_.activity->begin("making cells", network_.cell_count());
  for (std::uint32_t p = 0; p < network_.populations.size(); ++p) {
    const models::Population& population = network_.populations[p];
    const models::Cell& cell = network_.cells[population.cell];
    const models::CableCell& cable = body_of(cell);
    const CellId first = network_.first_cell(PopulationId(p));
    std::vector<const CellKind*> kinds;
    for (std::uint64_t i = 0; i < population.size; ++i)
      kinds.push_back(&kind_of(cable, CellId(first.value + i)));
    const std::vector<std::uint64_t> order = group_order(kinds);
    auto& addresses = addresses_.emplace_back(population.size);
    for (std::size_t begin = 0; begin < order.size(); begin += width) {
      const std::size_t end = std::min(begin + width, order.size());
      std::vector<std::uint64_t> indices(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                         order.begin() + static_cast<std::ptrdiff_t>(end));
      std::vector<const CellKind*> own;
      for (const std::uint64_t i : indices) {
        addresses[i] = {groups_.size(), own.size()};
        own.push_back(kinds[i]);
      }
      groups_.push_back(make_group(PopulationId(p), cable, indices, own));
      options_.activity->add(own.size());
    }
  }
}

std::vector<std::uint64_t> NetworkDraft::group_order(
    const std::vector<const CellKind*>& kinds) const {
  std::vector<std::uint64_t> order(kinds.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (kinds.empty() || kinds.front() == kinds.back()) return order;
  std::vector<std::vector<int>> shapes;
  for (const CellKind* kind : kinds) shapes.push_back(solver::shape_of(*kind->cell));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return shapes[a] < shapes[b]; });
  return order;
}

/// Where the model puts or records something that may be at a zero-area node of such a cell.
const std::vector<const models::Locations*>& NetworkDraft::ends_used(
    const models::CableCell& cable) {
  const auto known = ends_used_.find(&cable);
  if (known != ends_used_.end()) return known->second;
  auto& used = ends_used_[&cable];
  const auto add = [&](const models::Locations& at) {
    using Kind = models::Locations::Kind;
    if (at.kind == Kind::tips ||
        (at.kind == Kind::position && (at.position <= 0 || at.position >= 1)))
      used.push_back(&at);
  };
  const auto is_here = [&](PopulationId population) {
    const auto& cell = network_.cells[network_.populations[population.value].cell];
    return std::get_if<models::CableCell>(&cell.kind) == &cable;
  };
  if (cable.detector) add(cable.detector->at);
  for (const auto& projection : network_.projections)
    if (const auto* synapse = std::get_if<models::Synapse>(&projection.link))
      if (is_here(projection.to.population)) add(synapse->at);
  for (const auto& stimulus : network_.stimuli) {
    if (!is_here(stimulus.to.population)) continue;
    if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind)) add(clamp->at);
    if (const auto* clamp = std::get_if<models::VoltageClamp>(&stimulus.kind)) add(clamp->at);
    if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
      add(placed->point.at);
    if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
      add(events->synapse.at);
  }
  for (const auto& recording : network_.recordings)
    if (recording.variable && is_here(recording.of.population)) add(recording.at);
  return used;
}

/// [node] those on which the model puts or records something; empty: none at a branch's end.
std::vector<bool> NetworkDraft::kept_nodes(const CellKind& kind) {
  std::vector<bool> kept;
  for (const models::Locations* at : ends_used(*kind.model)) {
    try {
      RandomStream none(0, Purpose::place, {});
      for (const NodeId node : solver::resolve(*kind.cell, *at, none)) {
        kept.resize(kind.cell->node_count());
        kept[static_cast<std::size_t>(node.value)] = true;
      }
    } catch (const InvalidModel&) {  // reported where something is put there
    }
  }
  return kept;
}

const CellKind& NetworkDraft::kind_of(const models::CableCell& cable, CellId id) {
  if (const auto* tree = std::get_if<models::RandomTree>(&cable.morphology)) {
    kinds_.push_back(
        make_cell_kind(cable, models::grow(*tree, network_.run.seed, id), mechanisms_));
    return kinds_.back();
  }
  const auto known = shared_kinds_.find(&cable);
  if (known != shared_kinds_.end()) return *known->second;
  kinds_.push_back(
      make_cell_kind(cable, std::get<models::Morphology>(cable.morphology), mechanisms_));
  shared_kinds_[&cable] = &kinds_.back();
  return kinds_.back();
}

CellIdentity NetworkDraft::identity_of(PopulationId population, std::uint64_t index) const {
  const CellId id(network_.first_cell(population).value + index);
  RandomStream draw(network_.run.seed, Purpose::neuron_r, {id.value, 0, 0});
  return {id,
          index,
          network_.populations[population.value].size,
          draw.uniform(),
          network_.run.seed,
          network_.populations[population.value].name};
}

GroupDraft NetworkDraft::make_group(PopulationId population, const models::CableCell& cable,
                                    const std::vector<std::uint64_t>& indices,
                                    const std::vector<const CellKind*>& kinds) {
  GroupDraft draft;
  draft.kinds = kinds;
  GroupPlan& plan = draft.plan;
  plan.lanes = indices.size() == 1 ? 1 : indices.size() <= 4 ? 4 : 8;
  plan.population = population;
  plan.population_name = network_.populations[population.value].name;
  plan.first_id = network_.first_cell(population);
  plan.indices = indices;
  std::vector<solver::LaneCell> cells;
  std::vector<std::vector<bool>> kept(indices.size());
  for (std::size_t l = 0; l < indices.size(); ++l) {
    plan.cells.push_back(kinds[l]->cell);
    // Cells of one kind need the answer once.
    if (l == 0 || kinds[l] != kinds[0]) kept[l] = kept_nodes(*kinds[l]);
    cells.push_back({kinds[l]->cell.get(), &kept[kinds[l] == kinds[0] ? 0 : l]});
    draft.cells.push_back(identity_of(population, indices[l]));
    compartments_ += kinds[l]->cell->compartment_count();
  }
  plan.tree = solver::lay_out_lanes(cells, plan.lanes);
  set_initial_voltages(draft);
  if (cable.detector) {
    for (std::size_t l = 0; l < indices.size(); ++l) {
      RandomStream none(0, Purpose::place, {});
      plan.detector_rows.push_back(
          plan.tree.row_of(l, solver::resolve(*plan.cells[l], cable.detector->at, none).front()));
    }
    plan.threshold_mV = cable.detector->threshold_mV;
  }
  for (std::size_t d = 0; d < kinds.front()->densities.size(); ++d) add_density(draft, d);
  return draft;
}

void NetworkDraft::set_initial_voltages(GroupDraft& draft) const {
  const solver::LaneTree& tree = draft.plan.tree;
  const auto lanes = static_cast<std::size_t>(draft.plan.lanes);
  draft.plan.v_init_mV.assign(tree.row_count() * lanes, 0);
  for (std::size_t row = 0; row < tree.row_count(); ++row)
    for (std::size_t l = 0; l < lanes; ++l) {
      const int node = tree.node_of(row, l);
      if (node < 0) continue;
      const CellKind& kind = *draft.kinds[cell_of_lane(draft, l)];
      const models::Value* value = kind.v_init_mV[static_cast<std::size_t>(node)];
      draft.plan.v_init_mV[row * lanes + l] =
          value ? evaluate_at(*value, *kind.cell, NodeId(node), draft.cells[cell_of_lane(draft, l)],
                              "v_init")
                : network_.run.v_init_mV;
    }
}

/// A block has an instance on every row where any lane has the mechanism.
void NetworkDraft::add_density(GroupDraft& draft, std::size_t number) const {
  const solver::LaneTree& tree = draft.plan.tree;
  const auto lanes = static_cast<std::size_t>(draft.plan.lanes);
  MechanismBlock block;
  block.mechanism = draft.kinds.front()->densities[number].mechanism;
  const auto& variables = block.mechanism->signature.variables;
  // Where in a lane's placement a row's node is, or -1.
  const auto place_at = [&](std::size_t row, std::size_t l) -> std::ptrdiff_t {
    const auto& nodes = draft.kinds[cell_of_lane(draft, l)]->densities[number].nodes;
    const int node = tree.node_of(row, l);
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
    return node >= 0 && at != nodes.end() && *at == node ? at - nodes.begin() : -1;
  };
  std::vector<std::ptrdiff_t> places;  // [instance][lane]
  for (std::size_t row = 0; row < tree.row_count(); ++row) {
    const std::size_t before = places.size();
    bool anywhere = false;
    for (std::size_t l = 0; l < lanes; ++l) {
      places.push_back(tree.is_uniform() && l > 0 ? places[before] : place_at(row, l));
      anywhere = anywhere || places.back() >= 0;
    }
    if (anywhere)
      block.nodes.push_back(static_cast<int>(row));
    else
      places.resize(before);
  }
  block.count = block.nodes.size();
  block.own_areas = !tree.is_uniform();
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t l = 0; l < (block.own_areas ? lanes : 1); ++l) {
      const int node = tree.node_of(static_cast<std::size_t>(block.nodes[i]), l);
      const solver::Template& cell = *draft.kinds[cell_of_lane(draft, l)]->cell;
      // mA/cm2 · um2 = 1e-8 mA = 0.01 nA
      block.area_factors.push_back(
          places[i * lanes + l] < 0 ? 0 : cell.area_um2[static_cast<std::size_t>(node)] * 0.01);
    }
  block.columns.resize(variables.size() * block.count * lanes);
  std::size_t at = 0;
  for (std::size_t c = 0; c < variables.size(); ++c) {
    const std::string what = block.mechanism->signature.name + '.' + variables[c].name;
    for (std::size_t i = 0; i < block.count; ++i, at += lanes) {
      std::size_t first = lanes;  // the first lane that has the mechanism here
      for (std::size_t l = lanes; l-- > 0;) {
        const std::ptrdiff_t place = places[i * lanes + l];
        if (place < 0) continue;
        first = l;
        const CellIdentity& identity = draft.cells[cell_of_lane(draft, l)];
        const CellKind& kind = *draft.kinds[cell_of_lane(draft, l)];
        const NodeId node(tree.node_of(static_cast<std::size_t>(block.nodes[i]), l));
        const auto& values = kind.densities[number].values[c];
        const models::Value* value =
            values.empty() ? nullptr : values[static_cast<std::size_t>(place)];
        double& number_here = block.columns[at + l];
        number_here = variables[c].default_value;
        if (value)
          number_here = checked(evaluate_at(*value, *kind.cell, node, identity, what), variables[c],
                                *value, what, *kind.cell, node);
        else if (const mechanisms::Coupling* coupling = block.mechanism->supplier(c))
          number_here = kind.place_value(*coupling, node, identity, network_.run.temperature_degC);
      }
      for (std::size_t l = 0; l < lanes; ++l)
        if (places[i * lanes + l] < 0) block.columns[at + l] = block.columns[at + first];
    }
  }
  draft.plan.blocks.push_back(std::move(block));
}

CellAddress NetworkDraft::address_of(PopulationId population, std::uint64_t index) const {
  return addresses_[population.value][index];
}

network::EventTarget NetworkDraft::add_point(const CellAddress& address,
                                             const mechanisms::Mechanism& mechanism, NodeId node,
                                             const std::vector<double>& values, bool shared) {
  GroupDraft& draft = groups_[address.group];
  std::size_t block = 0;
  PointDraft::Lane& lane = points_of(draft, mechanism, block).lanes[address.lane];
  const auto target = [&](std::size_t instance) -> network::EventTarget {
    return {static_cast<std::uint16_t>(block), static_cast<std::uint16_t>(address.lane),
            static_cast<std::uint32_t>(instance), network::EventTarget::no_slot};
  };
  const bool merges = can_merge(mechanism);
  if (merges || shared) {
    const std::uint64_t hash = hash_of(node, values);
    const auto [begin, end] = lane.known.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      const std::size_t i = known->second;
      if (lane.nodes[i] != node.value ||
          !std::equal(values.begin(), values.end(),
                      lane.values.begin() + static_cast<std::ptrdiff_t>(i * values.size())))
        continue;
      if (merges) ++lane.merged[i];
      return target(i);
    }
    lane.known.emplace(hash, lane.nodes.size());
  }
  lane.nodes.push_back(node.value);
  lane.merged.push_back(1);
  lane.values.insert(lane.values.end(), values.begin(), values.end());
  return target(lane.nodes.size() - 1);
}

Bindings NetworkDraft::bindings_of(PopulationId population, const CellIdentity& cell) {
  auto known = positions_.find(population.value);
  if (known == positions_.end())
    known = positions_.emplace(population.value, network::positions(network_, population)).first;
  const std::array<double, 3>& position = known->second[cell.index];
  Bindings bindings;
  bindings.index = static_cast<double>(cell.index);
  bindings.size = static_cast<double>(cell.population_size);
  bindings.r = cell.r;
  bindings.x_um = position[0];
  bindings.y_um = position[1];
  bindings.z_um = position[2];
  return bindings;
}

std::vector<double> NetworkDraft::synapse_values(const models::MechanismUse& use,
                                                 const CellAddress& address, NodeId node,
                                                 const std::string& key) {
  const mechanisms::Mechanism& mechanism = mechanism_of(use, mechanisms_);
  const GroupDraft& draft = groups_[address.group];
  std::vector<double> values = defaults_of(mechanism);
  const CellIdentity& identity = draft.cells[address.lane];
  const CellKind& kind = *draft.kinds[address.lane];
  for (std::size_t c = 0; c < values.size(); ++c) {
    const MechanismVariable& variable = mechanism.signature.variables[c];
    const auto given = use.parameters.find(variable.name);
    if (given != use.parameters.end()) {
      const std::string what = use.name + '.' + variable.name;
      RandomStream draws(
          network_.run.seed, Purpose::parameter,
          {identity.id.value, hash_of(what + key), static_cast<std::uint64_t>(node.value)});
      const auto whose = [&] { return identity.name() + " at " + kind.cell->describe(node); };
      values[c] = checked(
          given->second.evaluate(bindings_of(draft.plan.population, identity), draws, whose),
          variable, given->second, what, *kind.cell, node);
    } else if (const mechanisms::Coupling* coupling = mechanism.supplier(c)) {
      values[c] = kind.place_value(*coupling, node, identity, network_.run.temperature_degC);
    }
  }
  return values;
}

void NetworkDraft::play(std::size_t group, const network::EventTarget& target,
                        const std::string& variable,
                        const std::vector<std::pair<double, double>>& table) {
  played_.push_back({group, target, variable, &table});
}

void NetworkDraft::lay_out_blocks() {
  for (auto& draft : groups_) {
    for (auto& points : draft.points) lay_out(draft, points);
    add_ions(draft, network_);
    resolve_pointers(draft, network_);
    number_streams(draft, network_.run.seed);
    options_.activity->add(1);
  }
  for (const auto& played : played_) {
    GroupPlan& plan = groups_[played.group].plan;
    const MechanismBlock& block = plan.blocks[played.target.block];
    plan.playbacks.push_back(
        {played.target.block,
         index_of(plan, block, static_cast<std::size_t>(block.mechanism->column(played.variable)),
                  played.target.instance, played.target.lane),
         played.table});
  }
}

void NetworkDraft::lay_out(GroupDraft& draft, PointDraft& points) const {
  GroupPlan& plan = draft.plan;
  const auto lanes = static_cast<std::size_t>(plan.lanes);
  const std::vector<double> defaults = defaults_of(*points.mechanism);
  MechanismBlock block;
  block.mechanism = points.mechanism;
  for (const auto& lane : points.lanes) block.count = std::max(block.count, lane.nodes.size());
  // Instances that only fill a lane sit on the row after the last one.
  const int nowhere = static_cast<int>(plan.tree.row_count());
  block.nodes.assign(block.count * lanes, nowhere);
  block.merged.assign(block.count * lanes, 0);
  block.columns.resize(defaults.size() * block.count * lanes);
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t l = 0; l < lanes; ++l) {
      const PointDraft::Lane& lane = points.lanes[l];
      const bool is_there = i < lane.nodes.size();
      for (std::size_t c = 0; c < defaults.size(); ++c)
        block.columns[index_of(plan, block, c, i, l)] =
            is_there ? lane.values[i * defaults.size() + c] : defaults[c];
      if (!is_there) continue;
      block.nodes[i * lanes + l] = plan.row_of(l, NodeId(lane.nodes[i]));
      block.merged[i * lanes + l] = lane.merged[i];
    }
  block.aligned = true;
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t l = 0; l < plan.indices.size(); ++l)
      block.aligned = block.aligned && block.nodes[i * lanes] != nowhere &&
                      block.nodes[i * lanes + l] == block.nodes[i * lanes];
  points.lanes.clear();
  if (points.mechanism->info->keeps_arguments) lay_out_connections(plan, points, block);
  plan.blocks.push_back(std::move(block));
}

std::vector<GroupPlan> NetworkDraft::take_plans() {
  std::vector<GroupPlan> plans;
  for (auto& draft : groups_) plans.push_back(std::move(draft.plan));
  return plans;
}

bool can_merge(const mechanisms::Mechanism& mechanism) {
  const mechanisms::MechanismInfo& info = *mechanism.info;
  return info.is_linear && !info.keeps_arguments && !info.starts && info.watches == 0;
}

void check_weight(const mechanisms::Mechanism& mechanism, double weight, const Place& place) {
  if (weight < 0 && mechanism.signature.weight_unit.dimension == units::uS.dimension)
    reject(place,
           fmt::format("a weight of {} comes out as {:.6g} {} (a conductance must not be "
                       "negative; truncate the distribution)",
                       mechanism.signature.name, weight, mechanism.signature.weight_unit_text));
}

std::vector<double> defaults_of(const mechanisms::Mechanism& mechanism) {
  std::vector<double> values;
  for (const auto& variable : mechanism.signature.variables)
    values.push_back(variable.default_value);
  return values;
}

std::size_t index_of(const GroupPlan& plan, const MechanismBlock& block, std::size_t variable,
                     std::size_t instance, std::size_t lane) {
  return (variable * block.count + instance) * static_cast<std::size_t>(plan.lanes) + lane;
}

}  // namespace hillock::simulator
