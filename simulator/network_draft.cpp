#include "simulator/network_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "network/connectivity.hpp"

namespace hillock::simulator {

namespace {

/// Lanes beyond the group's cells repeat its last cell, so that their numbers stay tame.
const CellIdentity& cell_of_lane(const GroupDraft& draft, int lane) {
  return draft.cells[std::min(static_cast<std::size_t>(lane), draft.cells.size() - 1)];
}

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
  draft.points.push_back({&mechanism, {}});
  draft.points.back().lanes.resize(static_cast<std::size_t>(draft.plan.lanes));
  return draft.points.back();
}

}  // namespace

NetworkDraft::NetworkDraft(const models::Network& network, int widest) : network_(network) {
  make_groups(widest);
}

void NetworkDraft::make_groups(int widest) {
  for (std::uint32_t p = 0; p < network_.populations.size(); ++p) {
    const models::Population& population = network_.populations[p];
    const models::Cell& cell = network_.cells[population.cell];
    const auto& cable = std::get<models::CableCell>(cell.kind);
    first_group_.push_back(groups_.size());
    const bool random = std::holds_alternative<models::RandomTree>(cable.morphology);
    width_.push_back(random ? 1 : static_cast<std::uint64_t>(widest));
    for (std::uint64_t begin = 0; begin < population.size; begin += width_.back()) {
      const std::uint64_t end = std::min(begin + width_.back(), population.size);
      groups_.push_back(make_group(PopulationId(p), cable, begin, end));
    }
  }
}

const CellKind& NetworkDraft::kind_of(const models::CableCell& cable, CellId id) {
  if (const auto* tree = std::get_if<models::RandomTree>(&cable.morphology)) {
    kinds_.push_back(make_cell_kind(cable, models::grow(*tree, network_.run.seed, id)));
    return kinds_.back();
  }
  const auto known = shared_kinds_.find(&cable);
  if (known != shared_kinds_.end()) return *known->second;
  kinds_.push_back(make_cell_kind(cable, std::get<models::Morphology>(cable.morphology)));
  shared_kinds_[&cable] = &kinds_.back();
  return kinds_.back();
}

CellIdentity NetworkDraft::identity_of(PopulationId population, std::uint64_t index) const {
  const CellId id(network_.first_cell(population).value + index);
  RandomStream draw(network_.run.seed, Purpose::neuron_r, {id.value, 0, 0});
  return {id, index, network_.populations[population.value].size, draw.uniform(),
          network_.run.seed};
}

GroupDraft NetworkDraft::make_group(PopulationId population, const models::CableCell& cable,
                                    std::uint64_t begin, std::uint64_t end) {
  GroupDraft draft;
  const CellId first = network_.first_cell(population);
  draft.kind = &kind_of(cable, CellId(first.value + begin));
  GroupPlan& plan = draft.plan;
  plan.cell = draft.kind->cell;
  const std::uint64_t cells = end - begin;
  plan.lanes = cells == 1 ? 1 : cells <= 4 ? 4 : 8;
  plan.population = population;
  plan.population_name = network_.populations[population.value].name;
  plan.first_id = first;
  for (std::uint64_t i = begin; i < end; ++i) {
    plan.indices.push_back(i);
    draft.cells.push_back(identity_of(population, i));
  }
  compartments_ += cells * plan.cell->compartment_count();
  set_initial_voltages(draft);
  if (cable.detector) {
    RandomStream none(0, Purpose::place, {});
    plan.detector_node = solver::resolve(*plan.cell, cable.detector->at, none).front().value;
    plan.threshold_mV = cable.detector->threshold_mV;
  }
  for (const auto& placement : draft.kind->densities) add_density(draft, placement);
  return draft;
}

void NetworkDraft::set_initial_voltages(GroupDraft& draft) const {
  const std::size_t nodes = draft.kind->cell->node_count();
  draft.plan.v_init_mV.resize(nodes * static_cast<std::size_t>(draft.plan.lanes));
  std::size_t i = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    const models::Value* value = draft.kind->v_init_mV[n];
    for (int l = 0; l < draft.plan.lanes; ++l)
      draft.plan.v_init_mV[i++] =
          value ? evaluate_at(*value, *draft.kind->cell, NodeId(static_cast<int>(n)),
                              cell_of_lane(draft, l), "v_init")
                : network_.run.v_init_mV;
  }
}

void NetworkDraft::add_density(GroupDraft& draft, const DensityPlacement& placement) const {
  const solver::Template& cell = *draft.kind->cell;
  const auto& variables = placement.mechanism->signature.variables;
  const auto lanes = static_cast<std::size_t>(draft.plan.lanes);
  MechanismBlock block;
  block.mechanism = placement.mechanism;
  block.count = placement.nodes.size();
  block.nodes = placement.nodes;
  for (const int node : placement.nodes)  // mA/cm2 · um2 = 1e-8 mA = 0.01 nA
    block.area_factors.push_back(cell.area_um2[static_cast<std::size_t>(node)] * 0.01);
  block.columns.resize(variables.size() * block.count * lanes);
  std::size_t at = 0;
  for (std::size_t c = 0; c < variables.size(); ++c) {
    const std::string what = placement.mechanism->signature.name + '.' + variables[c].name;
    for (std::size_t i = 0; i < block.count; ++i) {
      const NodeId node(placement.nodes[i]);
      const models::Value* value = placement.values[c].empty() ? nullptr : placement.values[c][i];
      for (int l = 0; l < draft.plan.lanes; ++l) {
        const CellIdentity& identity = cell_of_lane(draft, l);
        double& number = block.columns[at++];
        number = variables[c].default_value;
        if (value)
          number = checked(evaluate_at(*value, cell, node, identity, what), variables[c], *value,
                           what, cell, node);
        else if (variables[c].role == VariableRole::ion)
          number = draft.kind->ion_variable(variables[c].name, node, identity,
                                            network_.run.temperature_degC);
      }
    }
  }
  draft.plan.blocks.push_back(std::move(block));
}

CellAddress NetworkDraft::address_of(PopulationId population, std::uint64_t index) const {
  const std::uint64_t width = width_[population.value];
  return {first_group_[population.value] + index / width, index % width};
}

network::EventTarget NetworkDraft::add_point(const CellAddress& address,
                                             const mechanisms::Mechanism& mechanism, NodeId node,
                                             const std::vector<double>& values) {
  GroupDraft& draft = groups_[address.group];
  std::size_t block = 0;
  PointDraft::Lane& lane = points_of(draft, mechanism, block).lanes[address.lane];
  lane.nodes.push_back(node.value);
  lane.values.insert(lane.values.end(), values.begin(), values.end());
  return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(lane.nodes.size() - 1),
          static_cast<std::uint32_t>(address.lane)};
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
  const mechanisms::Mechanism& mechanism = mechanism_of(use);
  const GroupDraft& draft = groups_[address.group];
  std::vector<double> values = defaults_of(mechanism);
  const CellIdentity& identity = draft.cells[address.lane];
  for (std::size_t c = 0; c < values.size(); ++c) {
    const MechanismVariable& variable = mechanism.signature.variables[c];
    const auto given = use.parameters.find(variable.name);
    if (given != use.parameters.end()) {
      const std::string what = use.name + '.' + variable.name;
      RandomStream draws(
          network_.run.seed, Purpose::parameter,
          {identity.id.value, hash_of(what + key), static_cast<std::uint64_t>(node.value)});
      values[c] =
          checked(given->second.evaluate(bindings_of(draft.plan.population, identity), draws),
                  variable, given->second, what, *draft.kind->cell, node);
    } else if (variable.role == VariableRole::ion) {
      values[c] =
          draft.kind->ion_variable(variable.name, node, identity, network_.run.temperature_degC);
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
  for (auto& draft : groups_)
    for (auto& points : draft.points) lay_out(draft, points);
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
  // Instances that only fill a lane sit on the row after the last node.
  block.nodes.assign(block.count * lanes, static_cast<int>(plan.cell->node_count()));
  block.columns.resize(defaults.size() * block.count * lanes);
  for (std::size_t c = 0; c < defaults.size(); ++c)
    for (std::size_t i = 0; i < block.count; ++i)
      for (std::size_t l = 0; l < lanes; ++l) {
        const PointDraft::Lane& lane = points.lanes[l];
        block.columns[index_of(plan, block, c, i, l)] =
            i < lane.nodes.size() ? lane.values[i * defaults.size() + c] : defaults[c];
        if (c == 0 && i < lane.nodes.size()) block.nodes[i * lanes + l] = lane.nodes[i];
      }
  points.lanes.clear();
  plan.blocks.push_back(std::move(block));
}

std::vector<GroupPlan> NetworkDraft::take_plans() {
  std::vector<GroupPlan> plans;
  for (auto& draft : groups_) plans.push_back(std::move(draft.plan));
  return plans;
}

const mechanisms::Mechanism& mechanism_of(const models::MechanismUse& use) {
  const mechanisms::Mechanism* mechanism = mechanisms::find_mechanism(use.name);
  if (!mechanism) reject(use.place, "no mechanism is called '" + use.name + "'");
  return *mechanism;
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
