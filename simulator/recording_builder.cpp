// Finds what recordings sample: the numbers behind each column of each report.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "simulator/network_draft.hpp"

namespace hillock::simulator {

namespace {

class RecordingBuilder {
 public:
  RecordingBuilder(NetworkDraft& draft, BuiltNetwork& result)
      : draft_(draft), network_(draft.network()), result_(result) {}

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
      io::ReportLayout layout;
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
      result_.run.samples.push_back(times);
      result_.reports.push_back(std::move(layout));
    }
  }

 private:
  void add_probes(const models::Recording& recording, std::size_t number, std::uint64_t index,
                  io::ReportLayout& layout) {
    const CellAddress address = draft_.address_of(recording.of.population, index);
    GroupDraft& draft = draft_.group(address.group);
    const solver::Template& cell = *draft.kinds[address.lane]->cell;
    RandomStream draws(
        network_.run.seed, Purpose::place,
        {(network::first_stimulus_source >> 1) + number, draft.cells[address.lane].id.value, 0});
    layout.node_ids.push_back(index);
    for (const NodeId node : solver::resolve(cell, recording.at, draws)) {
      Probe probe{result_.reports.size(), layout.element_ids.size(), {}};
      if (!find_terms(recording, draft, address.lane, node, probe.terms)) continue;
      draft.plan.probes.push_back(std::move(probe));
      const solver::NodePlace& place = cell.places[static_cast<std::size_t>(node.value)];
      layout.element_ids.push_back(static_cast<std::uint32_t>(place.branch));
      layout.element_pos.push_back(static_cast<float>(place.position));
    }
    layout.index_pointers.push_back(layout.element_ids.size());
  }

  /// The summands of a recorded variable at a node. False: the node is passed over, because a
  /// recording of all compartments takes those that have the mechanism.
  bool find_terms(const models::Recording& recording, GroupDraft& draft, std::size_t lane,
                  NodeId node, std::vector<ProbeTerm>& terms) {
    using Kind = models::RecordedVariable::Kind;
    const models::RecordedVariable& variable = *recording.variable;
    GroupPlan& plan = draft.plan;
    const std::size_t row =
        static_cast<std::size_t>(plan.row_of(lane, node)) * static_cast<std::size_t>(plan.lanes) +
        lane;
    switch (variable.kind) {
      case Kind::voltage:
        terms.push_back({ProbeTerm::Kind::voltage, 0, row, 1});
        return true;
      case Kind::membrane_current:
        terms.push_back({ProbeTerm::Kind::membrane_current, 0, row, 1});
        return true;
      case Kind::mechanism_variable:
        return find_mechanism_terms(recording, draft, lane, node, terms);
      case Kind::ion_variable:
        break;
    }
    std::string ion;
    auto quantity = mechanisms::PlaceQuantity::current;
    split_ion_variable(variable.variable, ion, quantity);
    for (std::size_t i = 0; i < plan.ions.size(); ++i)
      if (plan.ions[i].ion == ion && !plan.ions[i].values(quantity).empty()) {
        terms.push_back({ProbeTerm::Kind::ion, i, row, 1, quantity});
        return true;
      }
    if (quantity != mechanisms::PlaceQuantity::current) {
      terms.push_back({ProbeTerm::Kind::constant, 0, 0,
                       draft.kinds[lane]->ion_value(ion, quantity, node, draft.cells[lane],
                                                    network_.run.temperature_degC)});
      return true;
    }
    for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
      const auto& uses = plan.blocks[b].mechanism->signature.ions;
      if (std::any_of(uses.begin(), uses.end(),
                      [&](const IonUse& use) { return use.ion == ion && use.writes_current; }))
        add_instances(plan, b, variable.variable, lane, node, terms,
                      ion_current_factor(plan, b, lane, node));
    }
    return true;
  }

  bool find_mechanism_terms(const models::Recording& recording, GroupDraft& draft, std::size_t lane,
                            NodeId node, std::vector<ProbeTerm>& terms) {
    const models::RecordedVariable& variable = *recording.variable;
    GroupPlan& plan = draft.plan;
    synapses_ = 0;
    for (std::size_t b = 0; b < plan.blocks.size(); ++b)
      if (plan.blocks[b].mechanism->signature.name == variable.mechanism)
        add_instances(plan, b, variable.variable, lane, node, terms);
    const auto* mechanism = draft_.mechanisms().find(variable.mechanism);
    const auto* recorded = mechanism ? mechanism->signature.find(variable.variable) : nullptr;
    if (synapses_ > 1 && recorded && recorded->role == VariableRole::parameter)
      reject(recording.place,
             fmt::format("{} instances of {} are at {}, each with its own {} (only states and "
                         "currents add up)",
                         synapses_, variable.mechanism, plan.cells[lane]->describe(node),
                         variable.variable));
    if (!terms.empty()) return true;
    if (recording.at.kind == models::Locations::Kind::all) return false;
    // No synapse at a place sums to 0; a density mechanism that is not there is a mistake.
    if (mechanism && mechanism->signature.kind == MechanismKind::point_process) return true;
    reject(recording.place, fmt::format("{} is not at {}, where '{}' asks for {}.{}",
                                        variable.mechanism, plan.cells[lane]->describe(node),
                                        recording.name, variable.mechanism, variable.variable));
  }

  /// Turns a block's ion current into mA/cm2.
  static double ion_current_factor(const GroupPlan& plan, std::size_t b, std::size_t lane,
                                   NodeId node) {
    if (!plan.blocks[b].mechanism->info->is_point_process) return 1;
    const double area = plan.cells[lane]->area_um2[static_cast<std::size_t>(node.value)];
    return 100 / (area > 0 ? area : end_node_area_um2);
  }

  /// Adds the variable of every instance of block b that sits on a node of one cell.
  void add_instances(GroupPlan& plan, std::size_t b, const std::string& name, std::size_t lane,
                     NodeId node, std::vector<ProbeTerm>& terms, double factor = 1) {
    MechanismBlock& block = plan.blocks[b];
    const int column = block.mechanism->column(name);
    if (column < 0) return;
    if (block.mechanism->signature.variables[static_cast<std::size_t>(column)].role ==
        VariableRole::assigned)
      block.keep_assigned = true;
    const bool is_point = block.mechanism->signature.kind == MechanismKind::point_process;
    const auto lanes = static_cast<std::size_t>(plan.lanes);
    const int row = plan.row_of(lane, node);
    const auto add = [&](std::size_t i) {
      terms.push_back({ProbeTerm::Kind::variable, b,
                       index_of(plan, block, static_cast<std::size_t>(column), i, lane), factor});
    };
    if (!is_point) {
      const auto at = std::lower_bound(block.nodes.begin(), block.nodes.end(), row);
      if (at == block.nodes.end() || *at != row) return;
      const auto i = static_cast<std::size_t>(at - block.nodes.begin());
      // Other lanes may have the mechanism on this row, and this one not.
      if (!block.own_areas || block.area_factors[i * lanes + lane] > 0) add(i);
      return;
    }
    for (std::size_t i = 0; i < block.count; ++i)
      if (block.nodes[i * lanes + lane] == row && block.merged[i * lanes + lane] > 0) {
        add(i);
        synapses_ += block.merged[i * lanes + lane];
      }
  }

  NetworkDraft& draft_;
  const models::Network& network_;
  BuiltNetwork& result_;
  std::size_t synapses_ = 0;  ///< behind the terms found last, merged ones counted one by one
};

}  // namespace

void add_recordings(NetworkDraft& draft, BuiltNetwork& result) {
  RecordingBuilder(draft, result).add_all();
}

}  // namespace hillock::simulator
