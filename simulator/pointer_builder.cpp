// What lies beside an instance: the variables that its POINTERs stand for, the key of its draws.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "simulator/network_draft.hpp"

namespace hillock::simulator {

using mechanisms::Coupling;
using mechanisms::PlaceQuantity;

namespace {

/// Calls body(instance, lane) for every instance of a block that is there.
template <class Body>
void for_each_instance(const GroupPlan& plan, const MechanismBlock& block, const Body& body) {
  const auto lanes = static_cast<std::size_t>(plan.lanes);
  const bool is_point = block.mechanism->info->is_point_process;
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t l = 0; l < plan.indices.size(); ++l) {
      const bool absent = is_point ? block.merged[i * lanes + l] == 0
                                   : block.own_areas && block.area_factors[i * lanes + l] == 0;
      if (!absent) body(i, l);
    }
}

std::size_t row_of(const GroupPlan& plan, const MechanismBlock& block, std::size_t instance,
                   std::size_t lane) {
  const auto lanes = static_cast<std::size_t>(plan.lanes);
  return static_cast<std::size_t>(
      block.nodes[block.mechanism->info->is_point_process ? instance * lanes + lane : instance]);
}

class PointerBuilder {
 public:
  PointerBuilder(GroupDraft& draft, const models::Network& network)
      : plan_(draft.plan), network_(network), lanes_(static_cast<std::size_t>(plan_.lanes)) {}

  void add_all() {
    for (MechanismBlock& block : plan_.blocks) {
      const mechanisms::MechanismInfo& info = *block.mechanism->info;
      for (int k = 0; k < info.coupling_count; ++k)
        if (info.couplings[k].quantity == PlaceQuantity::pointer) add(block, k);
    }
  }

 private:
  void add(MechanismBlock& block, int coupling) {
    block.pointers.resize(static_cast<std::size_t>(block.mechanism->info->coupling_count));
    auto& sources = block.pointers[static_cast<std::size_t>(coupling)];
    sources.resize(block.count * lanes_);
    const Coupling& pointer = block.mechanism->info->couplings[coupling];
    const auto column = static_cast<std::size_t>(pointer.column);
    for (std::size_t i = 0; i < block.count; ++i)
      for (std::size_t l = 0; l < lanes_; ++l)
        sources[i * lanes_ + l].index = index_of(plan_, block, column, i, l);
    for_each_instance(plan_, block, [&](std::size_t i, std::size_t l) {
      const double number = block.columns[index_of(plan_, block, column, i, l)];
      const std::size_t row = row_of(plan_, block, i, l);
      if (number < 0)
        reject(network_.cells[network_.populations[plan_.population.value].cell].place,
               fmt::format("{0} at {1} has no {2}: a POINTER, which must name a variable there "
                           "(as {2}: v, {2}: cai or {2}: hh.m)",
                           block.mechanism->signature.name, describe(row, l),
                           block.mechanism->signature.variables[column].name));
      const models::PointerTarget& target =
          network_.pointer_targets[static_cast<std::size_t>(number)];
      sources[i * lanes_ + l] = source_of(target, row, l);
      if (pointer.writes && is_parameter(sources[i * lanes_ + l]))
        reject(target.place,
               fmt::format("{} writes its POINTER {}, which stands for the parameter {} "
                           "(parameters do not change during a run)",
                           block.mechanism->signature.name,
                           block.mechanism->signature.variables[column].name, target.text));
    });
  }

  bool is_parameter(const PointerSource& source) const {
    if (source.kind != PointerSource::Kind::variable) return false;
    const MechanismBlock& block = plan_.blocks[source.block];
    const std::size_t column = source.index / (block.count * lanes_);
    return block.mechanism->signature.variables[column].role == VariableRole::parameter;
  }

  std::string describe(std::size_t row, std::size_t lane) const {
    return fmt::format("{} of {}[{}]",
                       plan_.cells[lane]->describe(NodeId(plan_.tree.node_of(row, lane))),
                       plan_.population_name, plan_.indices[lane]);
  }

  PointerSource source_of(const models::PointerTarget& target, std::size_t row, std::size_t lane) {
    const std::size_t node_index = row * lanes_ + lane;
    if (target.text == "v") return {PointerSource::Kind::voltage, 0, {}, node_index};
    const std::size_t dot = target.text.find('.');
    if (dot != std::string::npos)
      return variable_of(target, target.text.substr(0, dot), target.text.substr(dot + 1), row,
                         lane);
    std::string ion;
    PlaceQuantity quantity;
    if (split_ion_variable(target.text, ion, quantity))
      for (std::size_t i = 0; i < plan_.ions.size(); ++i)
        if (plan_.ions[i].ion == ion && !plan_.ions[i].values(quantity).empty())
          return {PointerSource::Kind::ion, i, quantity, node_index};
    reject(target.place,
           fmt::format("there is no variable '{}' at {}", target.text, describe(row, lane)));
  }

  /// The variable of the one instance of a mechanism at a row.
  PointerSource variable_of(const models::PointerTarget& target, const std::string& mechanism,
                            const std::string& variable, std::size_t row, std::size_t lane) {
    std::vector<PointerSource> found;
    for (std::size_t b = 0; b < plan_.blocks.size(); ++b) {
      MechanismBlock& block = plan_.blocks[b];
      const int column = block.mechanism->column(variable);
      if (block.mechanism->signature.name != mechanism || column < 0) continue;
      for_each_instance(plan_, block, [&](std::size_t i, std::size_t l) {
        if (l == lane && row_of(plan_, block, i, l) == row)
          found.push_back({PointerSource::Kind::variable,
                           b,
                           {},
                           index_of(plan_, block, static_cast<std::size_t>(column), i, l)});
      });
    }
    if (found.size() != 1)
      reject(target.place, fmt::format("there {} of '{}' at {}, where a POINTER stands for it",
                                       found.empty() ? "is none" : "are several", target.text,
                                       describe(row, lane)));
    plan_.blocks[found[0].block].is_pointed_at = true;
    return found[0];
  }

  GroupPlan& plan_;
  const models::Network& network_;
  std::size_t lanes_;
};

}  // namespace

void resolve_pointers(GroupDraft& draft, const models::Network& network) {
  PointerBuilder(draft, network).add_all();
}

void number_streams(GroupDraft& draft, std::uint64_t seed) {
  GroupPlan& plan = draft.plan;
  for (MechanismBlock& block : plan.blocks) {
    const mechanisms::MechanismInfo& info = *block.mechanism->info;
    for (int k = 0; k < info.coupling_count; ++k) {
      if (info.couplings[k].quantity != PlaceQuantity::stream) continue;
      const auto column = static_cast<std::size_t>(info.couplings[k].column);
      for_each_instance(plan, block, [&](std::size_t i, std::size_t l) {
        const std::string name = fmt::format("{}:{}:{}:{}:{}", seed, plan.id_of(l).value, info.name,
                                             plan.tree.node_of(row_of(plan, block, i, l), l),
                                             info.is_point_process ? i : 0);
        // 53 bits: what a double holds.
        block.columns[index_of(plan, block, column, i, l)] =
            static_cast<double>(hash_of(name) >> 11);
      });
    }
  }
}

}  // namespace hillock::simulator
