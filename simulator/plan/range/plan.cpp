#include "simulator/plan/range/plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/errors/errors.hpp"
#include "simulator/plan/cells/draw_name.hpp"

namespace hillock::simulator {

CellIdentity PopulationPlan::identity(std::uint64_t index) const {
  const CellId cell(first.value + index);
  RandomStream draw(seed, Purpose::neuron_r, {cell.value, 0, 0});
  return {cell, index, size, draw.uniform(), seed, name};
}

double FieldInTime::at(double time_ms) const {
  return factor * (table ? value_at(*table, time_ms) : step::wave_at(wave, time_ms));
}

std::span<const std::int32_t> RangePlan::nodes_of(std::size_t block, std::size_t cell) const {
  if (is_density(block)) return kinds[cell]->densities[block].nodes;
  const PointSet& set = points[block - density_count()];
  return std::span(set.nodes).subspan(set.first[cell], set.first[cell + 1] - set.first[cell]);
}

std::uint64_t RangePlan::first_instance(std::size_t block, std::size_t cell) const {
  if (!is_density(block)) return points[block - density_count()].first[cell];
  std::uint64_t first = 0;
  for (std::size_t c = 0; c < cell; ++c) first += nodes_of(block, c).size();
  return first;
}

double RangePlan::initial_voltage_mV(std::size_t cell, NodeId node,
                                     const CellIdentity& identity) const {
  const CellKind& kind = *kinds[cell];
  const models::Value* const value =
      kind.v_init_mV.empty() ? nullptr : kind.v_init_mV[static_cast<std::size_t>(node.value)];
  if ((value ? value == at_rest() : population->begins_at_rest) && population->rest)
    return population->rest->nearest(kind.cell->piece_at(node));
  return value && value != at_rest() ? evaluate_at(*value, *kind.cell, node, identity, {"v_init"})
                                     : population->v_init_mV;
}

double RangePlan::density_value(std::size_t block, std::size_t variable, std::size_t i,
                                std::size_t cell, const CellIdentity& identity) const {
  const CellKind& kind = *kinds[cell];
  const DensityPlacement& density = kind.densities[block];
  const mechanisms::Mechanism& mechanism = *density.mechanism;
  const MechanismVariable& outside = mechanism.signature.variables[variable];
  const NodeId node(density.nodes[i]);
  if (const models::Value* value = (*density.values)(variable, i)) {
    if (value->is_constant())
      return checked(value->constant(), outside, *value, mechanism, kind, node);
    return checked(evaluate_at(*value, *kind.cell, node, identity,
                               {mechanism.signature.name, ".", outside.name}),
                   outside, *value, mechanism, kind, node);
  }
  const mechanisms::Coupling* coupling = mechanism.supplier(variable);
  if (!coupling) return outside.default_value;
  if (coupling->quantity == mechanisms::SharedQuantity::stream)
    return stream_key(population->seed, identity.id, *mechanism.info, node.value, 0);
  return kind.shared_value(*coupling, node, identity, population->thermal_mV);
}

double stream_key(std::uint64_t seed, CellId cell, const mechanisms::MechanismInfo& info,
                  std::int32_t node, std::size_t instance) {
  DrawName text;
  text.add(seed).add(":").add(cell.value).add(":").add(info.name).add(":");
  text.add(static_cast<std::uint64_t>(node)).add(":").add(instance);
  return static_cast<double>(text.hash() >> 11);  // 53 bits: what a double holds
}

double checked(double number, const MechanismVariable& variable, const models::Value& value,
               const mechanisms::Mechanism& mechanism, const CellKind& kind, NodeId node) {
  const bool below =
      variable.minimum_excluded ? number <= variable.minimum : number < variable.minimum;
  if (!std::isfinite(number) || below || number > variable.maximum)
    reject(value.place(),
           fmt::format("{}.{} is {:.6g} at {} (it must lie between {:.6g} and {:.6g})",
                       mechanism.signature.name, variable.name, number, kind.cell->describe(node),
                       variable.minimum, variable.maximum));
  return number;
}

network::Inbox take_inbox(RangePlan& plan) {
  const std::size_t projections = plan.projections.size();
  std::vector<network::FanInTable> tables;
  tables.reserve(projections + plan.stimuli.size());
  for (auto* some : {&plan.projections, &plan.stimuli})
    for (network::FanInTable& table : *some) tables.push_back(std::move(table));
  for (network::DrivenCell& driven : plan.driven)
    driven.table += static_cast<std::uint32_t>(projections);
  return {std::move(tables), projections, std::move(plan.driven)};
}

}  // namespace hillock::simulator
