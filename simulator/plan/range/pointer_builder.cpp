// What lies beside an instance: the variables that its POINTERs stand for, the key of its draws.
// And the variables that gap junctions read.

#include <fmt/format.h>

#include "core/errors/errors.hpp"
#include "simulator/plan/range/instances.hpp"
#include "simulator/plan/range/range_builder.hpp"

namespace hillock::simulator {

using mechanisms::Coupling;
using mechanisms::SharedQuantity;

namespace {

class PointerBuilder {
 public:
  PointerBuilder(const models::Network& network, RangePlan& plan)
      : network_(network), plan_(plan) {}

  void add_all() {
    for (std::size_t b = 0; b < plan_.block_count(); ++b) {
      const mechanisms::MechanismInfo& info = *plan_.mechanism(b).info;
      for (int k = 0; k < info.coupling_count; ++k)
        if (info.couplings[k].quantity == SharedQuantity::pointer) add(b, k);
    }
    for (GapEndPlan& end : plan_.gap_ends)
      if (end.publishes != GapEndPlan::none && end.published)
        end.source = source_of(*end.published, {end.cell, end.node, 0, 0});
  }

 private:
  void add(std::size_t block, int coupling) {
    const mechanisms::Mechanism& mechanism = plan_.mechanism(block);
    const Coupling& pointer = mechanism.info->couplings[coupling];
    const auto variable = static_cast<std::size_t>(pointer.column);
    PointerPlan plan{block, static_cast<std::size_t>(coupling), {}};
    for_each_instance(plan_, block, [&](const InstanceAt& at) {
      const double number = value_of(block, variable, at);
      if (number < 0)
        reject(network_.cells[network_.populations[plan_.population->id.value].cell].place,
               fmt::format("{0} at {1} has no {2}: a POINTER, which must name a variable there "
                           "(as {2}: v, {2}: cai or {2}: hh.m)",
                           mechanism.signature.name, describe(at),
                           mechanism.signature.variables[variable].name));
      const models::PointerTarget& target =
          network_.pointer_targets[static_cast<std::size_t>(number)];
      plan.sources.push_back(source_of(target, at));
      if (pointer.writes && is_parameter(plan.sources.back()))
        reject(target.place,
               fmt::format("{} writes its POINTER {}, which stands for the parameter {} "
                           "(parameters do not change during a run)",
                           mechanism.signature.name, mechanism.signature.variables[variable].name,
                           target.text));
    });
    plan_.pointers.push_back(std::move(plan));
  }

  double value_of(std::size_t block, std::size_t variable, const InstanceAt& at) const {
    return plan_.is_density(block)
               ? plan_.density_value(block, variable, at.number_on_cell, at.cell,
                                     plan_.identity(at.cell))
               : plan_.points[block - plan_.density_count()].values[variable][at.number];
  }

  bool is_parameter(const PointerSource& source) const {
    return source.kind == PointerSource::Kind::variable &&
           plan_.mechanism(source.block).signature.variables[source.variable].role ==
               VariableRole::parameter;
  }

  std::string describe(const InstanceAt& at) const {
    return fmt::format("{} of {}", plan_.kinds[at.cell]->cell->describe(at.node),
                       plan_.identity(at.cell).name());
  }

  PointerSource source_of(const models::PointerTarget& target, const InstanceAt& at) {
    PointerSource source;
    if (target.text == "v") return source;
    const std::size_t dot = target.text.find('.');
    if (dot != std::string::npos)
      return variable_of(target, target.text.substr(0, dot), target.text.substr(dot + 1), at);
    std::string ion;
    if (split_ion_variable(target.text, ion, source.quantity))
      for (source.ion = 0; source.ion < plan_.ions.size(); ++source.ion)
        if (plan_.ions[source.ion].ion == ion && plan_.ions[source.ion].has(source.quantity)) {
          source.kind = PointerSource::Kind::ion;
          return source;
        }
    reject(target.place, fmt::format("there is no variable '{}' at {}", target.text, describe(at)));
  }

  /// The variable of the one instance of a mechanism at the location of another.
  PointerSource variable_of(const models::PointerTarget& target, const std::string& name,
                            const std::string& variable, const InstanceAt& at) {
    std::vector<PointerSource> found;
    for (std::size_t b = 0; b < plan_.block_count(); ++b) {
      const mechanisms::Mechanism& mechanism = plan_.mechanism(b);
      const int column = mechanism.column(variable);
      if (mechanism.signature.name != name || column < 0) continue;
      const auto nodes = plan_.nodes_of(b, at.cell);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i] != at.node.value) continue;
        PointerSource source;
        source.kind = PointerSource::Kind::variable;
        source.block = b;
        source.variable = static_cast<std::size_t>(column);
        source.instance = i;
        found.push_back(source);
      }
    }
    if (found.size() != 1)
      reject(target.place,
             fmt::format(
                 "there {} of '{}' at {}, where a POINTER stands for it or a gap junction reads it",
                 found.empty() ? "is none" : "are several", target.text, describe(at)));
    return found[0];
  }

  const models::Network& network_;
  RangePlan& plan_;
};

/// Keys of point processes; those of density mechanisms are density_value()'s.
void number_streams(RangePlan& plan) {
  for (std::size_t b = plan.density_count(); b < plan.block_count(); ++b) {
    PointSet& set = plan.points[b - plan.density_count()];
    const mechanisms::MechanismInfo& info = *set.mechanism->info;
    for (int k = 0; k < info.coupling_count; ++k) {
      if (info.couplings[k].quantity != SharedQuantity::stream) continue;
      OneOrMany& keys = set.values[static_cast<std::size_t>(info.couplings[k].column)];
      for_each_instance(plan, b, [&](const InstanceAt& at) {
        const CellId cell(plan.population->first.value + plan.indices[at.cell]);
        keys.set(at.number,
                 stream_key(plan.population->seed, cell, info, at.node.value, at.number_on_cell));
      });
    }
  }
}

}  // namespace

void add_pointers(const models::Network& network, RangePlan& plan) {
  PointerBuilder(network, plan).add_all();
  number_streams(plan);
}

}  // namespace hillock::simulator
