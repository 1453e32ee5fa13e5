// Finds what recordings sample: the numbers behind each column of each report.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/errors.hpp"
#include "network/events.hpp"
#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator {

namespace {

class RecordingBuilder {
 public:
  RecordingBuilder(const models::Network& network, const mechanisms::Registry& mechanisms,
                   NetworkPlan& plan)
      : network_(network), mechanisms_(mechanisms), plan_(plan) {}

  void add_all() {
    for (std::size_t r = 0; r < network_.recordings.size(); ++r) {
      const models::Recording& recording = network_.recordings[r];
      if (!recording.variable) continue;
      const double dt = network_.run.dt_ms;
      SampleTimes times;
      times.first = std::llround(recording.start_ms / dt);
      times.every = std::llround(recording.every_ms / dt);
      const std::int64_t stop = std::llround(recording.stop_ms / dt);
      // The last sample lies before stop.
      times.count = std::max<std::int64_t>(0, (stop - times.first + times.every - 1) / times.every);
      models::ReportLayout layout;
      layout.name = recording.name;
      layout.population = network_.populations[recording.of.population.value].name;
      layout.units = recording.variable->unit_text;
      layout.float64 = recording.type == models::Recording::Type::float64;
      layout.gzip_level = recording.gzip_level;
      layout.start_ms = recording.start_ms;
      layout.every_ms = recording.every_ms;
      layout.samples = static_cast<std::uint64_t>(times.count);
      layout.index_pointers.push_back(0);
      for (std::uint64_t i = recording.of.begin; i < recording.of.end; ++i)
        add_probes(recording, r, i, layout);
      plan_.run.samples.push_back(times);
      plan_.reports.push_back(std::move(layout));
    }
  }

 private:
  struct Address {
    std::uint32_t range = 0;
    std::uint32_t cell = 0;
  };

  /// Where a population's cells are.
  const std::vector<Address>& addresses(PopulationId population) {
    std::vector<Address>& found = addresses_[population.value];
    if (!found.empty()) return found;
    found.resize(network_.populations[population.value].size);
    for (std::uint32_t r = 0; r < plan_.ranges.size(); ++r) {
      const RangePlan& range = plan_.ranges[r];
      if (range.population->id != population) continue;
      for (std::uint32_t c = 0; c < range.cell_count(); ++c) found[range.indices[c]] = {r, c};
    }
    return found;
  }

  void add_probes(const models::Recording& recording, std::size_t number, std::uint64_t index,
                  models::ReportLayout& layout) {
    const Address address = addresses(recording.of.population)[index];
    RangePlan& range = plan_.ranges[address.range];
    const solver::Template& cell = *range.kinds[address.cell]->cell;
    const CellId id(range.population->first.value + index);
    RandomStream draws(network_.run.seed, Purpose::place,
                       {(network::first_stimulus_source >> 1) + number, id.value, 0});
    layout.node_ids.push_back(index);
    for (const NodeId node : solver::resolve(cell, recording.at, draws)) {
      Probe probe{plan_.reports.size(), layout.element_ids.size(), address.cell, {}};
      if (!find_terms(recording, range, address.cell, node, probe.terms)) continue;
      range.probes.push_back(std::move(probe));
      const solver::NodePlace& place = cell.places[static_cast<std::size_t>(node.value)];
      layout.element_ids.push_back(static_cast<std::uint32_t>(place.branch));
      layout.element_pos.push_back(static_cast<float>(place.position));
    }
    layout.index_pointers.push_back(layout.element_ids.size());
  }

  static ProbeTerm term(ProbeTerm::Kind kind, NodeId node) {
    ProbeTerm term;
    term.kind = kind;
    term.node = node;
    return term;
  }

  /// The summands of a recorded variable at a node. False: the node is passed over, because a
  /// recording of all compartments takes those that have the mechanism.
  bool find_terms(const models::Recording& recording, const RangePlan& range, std::size_t cell,
                  NodeId node, std::vector<ProbeTerm>& terms) {
    using Kind = models::RecordedVariable::Kind;
    const models::RecordedVariable& variable = *recording.variable;
    switch (variable.kind) {
      case Kind::voltage:
        terms.push_back(term(ProbeTerm::Kind::voltage, node));
        return true;
      case Kind::membrane_current:
        terms.push_back(term(ProbeTerm::Kind::membrane_current, node));
        return true;
      case Kind::mechanism_variable:
        return find_mechanism_terms(recording, range, cell, node, terms);
      case Kind::ion_variable:
        find_ion_terms(variable, range, cell, node, terms);
        return true;
    }
    return true;
  }

  void find_ion_terms(const models::RecordedVariable& variable, const RangePlan& range,
                      std::size_t cell, NodeId node, std::vector<ProbeTerm>& terms) {
    std::string ion;
    auto quantity = mechanisms::PlaceQuantity::current;
    split_ion_variable(variable.variable, ion, quantity);
    for (std::size_t i = 0; i < range.ions.size(); ++i)
      if (range.ions[i].ion == ion && range.ions[i].has(quantity)) {
        terms.push_back(term(ProbeTerm::Kind::ion, node));
        terms.back().ion = i;
        terms.back().quantity = quantity;
        return;
      }
    if (quantity != mechanisms::PlaceQuantity::current) {
      terms.push_back(term(ProbeTerm::Kind::constant, node));
      terms.back().factor = range.kinds[cell]->ion_value(ion, quantity, node, range.identity(cell),
                                                         network_.run.temperature_degC);
      return;
    }
    for (std::size_t b = 0; b < range.block_count(); ++b) {
      const auto& uses = range.mechanism(b).signature.ions;
      if (std::any_of(uses.begin(), uses.end(),
                      [&](const IonUse& use) { return use.ion == ion && use.writes_current; }))
        add_instances(range, b, variable.variable, cell, node, terms,
                      ion_current_factor(range, b, cell, node));
    }
  }

  bool find_mechanism_terms(const models::Recording& recording, const RangePlan& range,
                            std::size_t cell, NodeId node, std::vector<ProbeTerm>& terms) {
    const models::RecordedVariable& variable = *recording.variable;
    synapses_ = 0;
    for (std::size_t b = 0; b < range.block_count(); ++b)
      if (range.mechanism(b).signature.name == variable.mechanism)
        add_instances(range, b, variable.variable, cell, node, terms, 1);
    const auto* mechanism = mechanisms_.find(variable.mechanism);
    const auto* recorded = mechanism ? mechanism->signature.find(variable.variable) : nullptr;
    const auto where = [&] { return range.kinds[cell]->cell->describe(node); };
    if (synapses_ > 1 && recorded && recorded->role == VariableRole::parameter)
      reject(recording.place,
             fmt::format("{} instances of {} are at {}, each with its own {} (only states and "
                         "currents add up)",
                         synapses_, variable.mechanism, where(), variable.variable));
    if (!terms.empty()) return true;
    if (recording.at.kind == models::Locations::Kind::all) return false;
    // No synapse at a place sums to 0; a density mechanism that is not there is a mistake.
    if (mechanism && mechanism->signature.kind == MechanismKind::point_process) return true;
    reject(recording.place,
           fmt::format("{} is not at {}, where '{}' asks for {}.{}", variable.mechanism, where(),
                       recording.name, variable.mechanism, variable.variable));
  }

  /// Turns a block's ion current into mA/cm2.
  static double ion_current_factor(const RangePlan& range, std::size_t b, std::size_t cell,
                                   NodeId node) {
    if (!range.mechanism(b).info->is_point_process) return 1;
    const double area = range.kinds[cell]->cell->area_um2[static_cast<std::size_t>(node.value)];
    return 100 / (area > 0 ? area : end_node_area_um2);
  }

  /// Adds the variable of every instance of block b that sits on a node of one cell.
  void add_instances(const RangePlan& range, std::size_t b, const std::string& name,
                     std::size_t cell, NodeId node, std::vector<ProbeTerm>& terms, double factor) {
    const int column = range.mechanism(b).column(name);
    if (column < 0) return;
    ProbeTerm found = term(ProbeTerm::Kind::variable, node);
    found.factor = factor;
    found.block = b;
    found.variable = static_cast<std::size_t>(column);
    const auto nodes = range.nodes_of(b, cell);
    if (range.is_density(b)) {
      if (std::binary_search(nodes.begin(), nodes.end(), node.value)) terms.push_back(found);
      return;
    }
    const PointSet& set = range.points[b - range.density_count()];
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] != node.value) continue;
      found.instance = static_cast<std::uint32_t>(set.first[cell] + i);
      terms.push_back(found);
      synapses_ += set.merged[found.instance];
    }
  }

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  NetworkPlan& plan_;
  std::map<std::uint32_t, std::vector<Address>> addresses_;  ///< [population][cell]
  std::size_t synapses_ = 0;  ///< behind the terms found last, merged ones counted one by one
};

}  // namespace

void add_recordings(const models::Network& network, const mechanisms::Registry& mechanisms,
                    NetworkPlan& plan) {
  RecordingBuilder(network, mechanisms, plan).add_all();
}

}  // namespace hillock::simulator
