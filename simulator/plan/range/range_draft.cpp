#include "simulator/plan/range/range_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "core/errors/errors.hpp"
#include "network/positions.hpp"

namespace hillock::simulator {

namespace {

/// Tells apart instances that cannot be one.
std::uint64_t hash_of(NodeId node, const std::vector<double>& values) {
  auto hash = static_cast<std::uint64_t>(node.value) + 0x9e3779b97f4a7c15;
  for (const double value : values)
    hash = (hash ^ (hash >> 29) ^ std::bit_cast<std::uint64_t>(value)) * 0xbf58476d1ce4e5b9;
  return hash;
}

bool has_values(const PointSet& set, std::size_t instance, const std::vector<double>& values) {
  for (std::size_t c = 0; c < values.size(); ++c)
    if (set.values[c][instance] != values[c]) return false;
  return true;
}

}  // namespace

RangeDraft::RangeDraft(const models::Network& network, const mechanisms::Registry& mechanisms,
                       RangePlan& plan)
    : network_(network), mechanisms_(mechanisms), plan_(plan) {}

std::uint32_t RangeDraft::set_of(const mechanisms::Mechanism& mechanism) {
  for (std::size_t i = 0; i < plan_.points.size(); ++i)
    if (plan_.points[i].mechanism == &mechanism) return static_cast<std::uint32_t>(i);
  PointSet set;
  set.mechanism = &mechanism;
  set.values.resize(mechanism.signature.variables.size());
  set.first.assign(closed_ + 1, 0);
  plan_.points.push_back(std::move(set));
  known_.emplace_back();
  return static_cast<std::uint32_t>(plan_.points.size() - 1);
}

void RangeDraft::close_cell() {
  for (PointSet& set : plan_.points)
    set.first.push_back(static_cast<std::uint32_t>(set.nodes.size()));
  ++closed_;
}

void RangeDraft::begin_cell(std::size_t cell) {
  if (cell > 0) close_cell();
  cell_ = cell;
  identity_ = plan_.identity(cell);
  bindings_.reset();
  for (Known& known : known_) known.clear();
}

const Bindings& RangeDraft::bindings() {
  if (bindings_) return *bindings_;
  const std::array<double, 3> um =
      network::position_of(network_, plan_.population->id, identity_.index);
  Bindings& bindings = bindings_.emplace();
  bindings.index = static_cast<double>(identity_.index);
  bindings.size = static_cast<double>(identity_.population_size);
  bindings.r = identity_.r;
  bindings.x_um = um[0];
  bindings.y_um = um[1];
  bindings.z_um = um[2];
  return bindings;
}

void RangeDraft::finish() {
  close_cell();
  std::vector<std::uint32_t> now(plan_.points.size());
  std::uint32_t kept = 0;
  for (std::size_t s = 0; s < plan_.points.size(); ++s) {
    now[s] = kept;
    if (plan_.points[s].count() == 0) continue;
    if (kept != s) plan_.points[kept] = std::move(plan_.points[s]);
    ++kept;
  }
  plan_.points.resize(kept);
  for (auto* tables : {&plan_.projections, &plan_.stimuli})
    for (network::FanInTable& table : *tables) table.mechanism = now[table.mechanism];
  for (Playback& playback : plan_.playbacks)
    if (!playback.is_density) playback.block = plan_.density_count() + now[playback.block];
  for (GapEndPlan& end : plan_.gap_ends)
    if (end.reads != GapEndPlan::none) end.block = plan_.density_count() + now[end.block];
}

std::uint32_t RangeDraft::add_point(std::uint32_t number, NodeId node,
                                    const std::vector<double>& values, MergedInstances merged) {
  PointSet& set = plan_.points[number];
  const bool merges = merged != MergedInstances::none && can_merge(*set.mechanism);
  if (merges || merged == MergedInstances::all) {
    const std::uint64_t hash = hash_of(node, values);
    const auto known = known_[number].find(hash, [&](std::uint32_t i) {
      return set.nodes[i] == node.value && has_values(set, i, values);
    });
    if (known) {
      if (merges) ++set.merged[*known];
      return *known;
    }
    known_[number].add(hash, static_cast<std::uint32_t>(set.count()));
  }
  if (set.count() == std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("a range of cells has more than 2^32 instances of " +
                            set.mechanism->signature.name);
  set.nodes.push_back(node.value);
  set.merged.push_back(1);
  for (std::size_t c = 0; c < values.size(); ++c) set.values[c].push_back(values[c]);
  return static_cast<std::uint32_t>(set.count() - 1);
}

void RangeDraft::merge_into(std::uint32_t set, std::uint32_t instance, std::uint32_t number) {
  plan_.points[set].merged[instance] += number;
}

std::uint32_t RangeDraft::add_connection(std::uint32_t number, std::uint32_t instance,
                                         double weight, const std::vector<double>& arguments) {
  PointSet& set = plan_.points[number];
  if (!set.mechanism->info->keeps_arguments) return network::FanIn::no_slot;
  set.connection_instances.push_back(instance);
  set.connection_arguments.resize(static_cast<std::size_t>(set.mechanism->info->arguments));
  for (std::size_t a = 0; a < set.connection_arguments.size(); ++a)
    set.connection_arguments[a].push_back(a == 0                  ? weight
                                          : a <= arguments.size() ? arguments[a - 1]
                                                                  : 0);
  return static_cast<std::uint32_t>(set.connection_instances.size() - 1);
}

std::vector<double> RangeDraft::values_of(const models::MechanismUse& use,
                                          const mechanisms::Mechanism& mechanism, NodeId node,
                                          const SynapseKey& key) {
  std::vector<double> values = defaults_of(mechanism);
  for (std::size_t c = 0; c < values.size(); ++c) {
    const MechanismVariable& variable = mechanism.signature.variables[c];
    const auto given = use.parameters.find(variable.name);
    if (given != use.parameters.end()) {
      const models::Value& value = given->second;
      if (value.is_constant()) {
        values[c] = checked(value.constant(), variable, value, mechanism, kind(), node);
        continue;
      }
      DrawName what{use.name, ".", variable.name};
      key.add_to(what);
      RandomStream draws(network_.run.seed, Purpose::parameter,
                         {identity_.id.value, what.hash(), static_cast<std::uint64_t>(node.value)});
      const auto whose = [&] { return identity_.name() + " at " + kind().cell->describe(node); };
      values[c] = checked(value.evaluate(bindings(), draws, whose), variable, value, mechanism,
                          kind(), node);
    } else if (const mechanisms::Coupling* coupling = mechanism.supplier(c)) {
      values[c] = kind().shared_value(*coupling, node, identity_, network_.run.thermal_mV());
    }
  }
  return values;
}

bool can_merge(const mechanisms::Mechanism& mechanism) {
  const mechanisms::MechanismInfo& info = *mechanism.info;
  return info.is_linear && !info.keeps_arguments && !info.starts && info.watches == 0;
}

void check_weight(const mechanisms::Mechanism& mechanism, double weight, const Place& place) {
  if (weight < 0 && mechanism.signature.refuses_negative_weights())
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

}  // namespace hillock::simulator
