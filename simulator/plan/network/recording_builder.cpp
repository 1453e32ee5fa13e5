// Finds what recordings sample: the numbers behind each column of each report.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/errors/errors.hpp"
#include "core/program/asker.hpp"
#include "network/events.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/plan/range/placed_sources.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "solver/cable/extracellular.hpp"
#include "solver/cable/locations.hpp"
#include "solver/potential/current_sources.hpp"
#include "solver/potential/products.hpp"

namespace hillock::simulator {

namespace {

SampleTimes times_of(const models::Recording& recording, double dt_ms) {
  SampleTimes times;
  times.first = std::llround(recording.start_ms / dt_ms);
  times.every = std::llround(recording.every_ms / dt_ms);
  const std::int64_t stop = std::llround(recording.stop_ms / dt_ms);
  // The last sample lies before stop.
  times.count = std::max<std::int64_t>(0, (stop - times.first + times.every - 1) / times.every);
  return times;
}

/// Every step that a sample of those times is the mean of.
SampleTimes steps_of(const SampleTimes& times) {
  SampleTimes steps;
  steps.first = std::max<long long>(0, times.first - times.every + 1);
  if (times.count > 0)
    steps.count = times.first + (times.count - 1) * times.every - steps.first + 1;
  return steps;
}

/// Finds the probes of one range.
class ProbeBuilder {
 public:
  ProbeBuilder(const RangeSources& sources, RangePlan& range, bool makes_maps)
      : sources_(sources),
        makes_maps_(makes_maps),
        network_(sources.network),
        mechanisms_(sources.mechanisms),
        range_(range) {}

  std::vector<RecordedCells> add_all() {
    sort_cells();
    std::vector<RecordedCells> recorded;
    std::size_t report = 0;
    for (const std::uint32_t r : sources_.of->recordings[range_.population->id.value]) {
      const models::Recording& recording = network_.recordings[r];
      const Asker asker(Asked::record, "report", recording.name);
      RecordedCells cells;
      cells.report = sources_.only ? report++ : sources_.of->report_of[r];
      if (recording.variable->kind == models::RecordedVariable::Kind::weight)
        add_weights(recording, cells);
      else if (recording.potential)
        add_potentials(recording, cells);
      else
        for (const std::uint32_t c : recorded_by(recording)) add_probes(recording, r, c, cells);
      if (!cells.indices.empty()) recorded.push_back(std::move(cells));
    }
    std::ranges::stable_sort(range_.probes, {}, &Probe::cell);
    return recorded;
  }

 private:
  void sort_cells() {
    for (std::uint32_t c = 0; c < range_.cell_count(); ++c)
      by_index_.emplace_back(range_.indices[c], c);
    std::ranges::sort(by_index_);
  }

  /// The range's cells that a recording has, in the range's order.
  std::vector<std::uint32_t> recorded_by(const models::Recording& recording) const {
    using Cell = std::pair<std::uint64_t, std::uint32_t>;
    std::vector<std::uint32_t> cells;
    for (auto at = std::ranges::lower_bound(by_index_, recording.of.begin, {}, &Cell::first);
         at != by_index_.end() && at->first < recording.of.end; ++at)
      cells.push_back(at->second);
    std::ranges::sort(cells);
    return cells;
  }

  /// A column a connection: of each cell by source, which is the element.
  void add_weights(const models::Recording& recording, RecordedCells& recorded) {
    const std::size_t projection = recording.variable->projection;
    range_.recorded_weights.push_back({recorded.report, projection});
    std::vector<std::vector<std::uint32_t>> sources(range_.cell_count());
    const auto first = static_cast<std::uint32_t>(network_.projections[projection].from.begin);
    for (const network::FanInTable& table : range_.projections) {
      if (table.projection != projection) continue;
      const network::FanIn& connections = table.connections;
      connections.index().each_source([&](std::uint64_t source) {
        const network::Entries entries = connections.of(source);
        for (std::uint32_t e = entries.begin; e < entries.end; ++e)
          sources[connections.instance(e)].push_back(first + static_cast<std::uint32_t>(source));
      });
    }
    for (const std::uint32_t c : recorded_by(recording)) {
      recorded.indices.push_back(range_.indices[c]);
      recorded.counts.push_back(static_cast<std::uint32_t>(sources[c].size()));
      recorded.element_ids.insert(recorded.element_ids.end(), sources[c].begin(), sources[c].end());
    }
    recorded.element_pos.resize(recorded.element_ids.size());
  }

  /// A column a node with membrane or with something on it, and what its current does outside.
  void add_potentials(const models::Recording& recording, RecordedCells& recorded) {
    const solver::PotentialMap map(*recording.potential);
    PlacedSources placed(network_, range_.population->id);
    for (const std::uint32_t c : recorded_by(recording)) {
      const std::vector<NodeId> nodes = sources_on(*range_.kinds[c]);
      const solver::Template& cell = *range_.kinds[c]->cell;
      if (makes_maps_) {
        const std::vector<solver::CurrentSource> sources =
            placed.of(range_.indices[c], cell, nodes);
        for (std::size_t i = 0; i < sources.size(); ++i)
          if (map.is_beyond_plane(sources[i]))
            reject(recording.place,
                   fmt::format("{} of {} lies beyond the plane", cell.describe(nodes[i]),
                               range_.identity(c).name()));
        map.append(sources, recorded.potentials);
      }
      std::uint32_t count = 0;
      for (const NodeId node : nodes) {
        range_.probes.push_back(
            {recorded.report, count++, c, {term(step::Summand::membrane_current, node)}});
        add_column(cell, node, recorded);
      }
      recorded.indices.push_back(range_.indices[c]);
      recorded.counts.push_back(count);
    }
  }

  /// Compartments and, of ends of branches, those that something is put on.
  static std::vector<NodeId> sources_on(const CellKind& kind) {
    std::vector<NodeId> nodes;
    for (std::size_t node = 0; node < kind.cell->node_count(); ++node)
      if (kind.cell->location(node).is_compartment ||
          (!kind.ends_in_use.empty() && kind.ends_in_use[node]))
        nodes.push_back(NodeId(static_cast<int>(node)));
    return nodes;
  }

  static void add_column(const solver::Template& cell, NodeId node, RecordedCells& recorded) {
    recorded.element_ids.push_back(static_cast<std::uint32_t>(cell.branch_of(node)));
    recorded.element_pos.push_back(
        static_cast<float>(cell.location(static_cast<std::size_t>(node.value)).position));
  }

  void add_probes(const models::Recording& recording, std::size_t number, std::uint32_t c,
                  RecordedCells& recorded) {
    if (recording.points) return add_points(recording, c, recorded);
    const solver::Template& cell = *range_.kinds[c]->cell;
    const CellId id(range_.population->first.value + range_.indices[c]);
    RandomStream draws(network_.run.seed, Purpose::location,
                       {(network::first_stimulus_source >> 1) + number, id.value, 0});
    std::uint32_t count = 0;
    for (const NodeId node : solver::resolve(cell, recording.at, draws)) {
      Probe probe{recorded.report, count, c, {}};
      if (!find_terms(recording, range_, c, node, probe.terms)) continue;
      range_.probes.push_back(std::move(probe));
      add_column(cell, node, recorded);
      ++count;
    }
    recorded.indices.push_back(range_.indices[c]);
    recorded.counts.push_back(count);
  }

  /// A column a point; a cell without any has no place in the report.
  void add_points(const models::Recording& recording, std::uint32_t c, RecordedCells& recorded) {
    const auto& [number, begin, end] = *recording.points;
    const models::PointList& list = network_.points[number];
    if (list.on_cell(range_.indices[c]).empty()) return;  // the range may have none at all
    const std::size_t b = block_of(list.mechanism.name);
    const PointSet& set = range_.points[b - range_.density_count()];
    ProbeTerm found = term(step::Summand::variable, NodeId(0));
    found.block = b;
    found.variable =
        static_cast<std::size_t>(range_.mechanism(b).column(recording.variable->variable));
    found.instance = set.first[c] + first_of_list(number, c);
    std::uint32_t count = 0;
    for (const std::uint32_t point : list.on_cell(range_.indices[c])) {
      found.node = NodeId(set.nodes[found.instance]);
      if (point >= begin && point < end) {
        range_.probes.push_back({recorded.report, count++, c, {found}});
        recorded.element_ids.push_back(list.branches[point]);
        recorded.element_pos.push_back(static_cast<float>(list.positions[point]));
      }
      ++found.instance;
    }
    if (count == 0) return;
    recorded.indices.push_back(range_.indices[c]);
    recorded.counts.push_back(count);
  }

  std::size_t block_of(const std::string& mechanism) const {
    std::size_t b = range_.density_count();
    while (range_.mechanism(b).signature.name != mechanism) ++b;
    return b;
  }

  /// Where on a cell a list's instances begin: points come before all else of their mechanism, list
  /// by list.
  std::uint32_t first_of_list(std::size_t number, std::uint32_t c) const {
    const models::PointList& list = network_.points[number];
    std::size_t before = 0;
    for (const std::uint32_t other : sources_.of->points[range_.population->id.value]) {
      if (other == number) break;
      if (network_.points[other].mechanism.name == list.mechanism.name)
        before += network_.points[other].on_cell(range_.indices[c]).size();
    }
    return static_cast<std::uint32_t>(before);
  }

  static ProbeTerm term(step::Summand kind, NodeId node) {
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
        terms.push_back(term(step::Summand::voltage, node));
        return true;
      case Kind::layer_potential: {
        const solver::Template& cut = *range.kinds[cell]->cell;
        if (cut.extracellular->has[cut.slot_of(static_cast<std::size_t>(node.value))]) {
          terms.push_back(term(step::Summand::voltage, node));
          terms.back().layer = variable.layer + 1;
          return true;
        }
        if (recording.at.kind == models::Locations::Kind::all) return false;
        reject(recording.place,
               fmt::format("no extracellular layer is at {}, where '{}' asks for {}",
                           cut.describe(node), recording.name, variable.variable));
      }
      case Kind::membrane_current:
        terms.push_back(term(step::Summand::membrane_current, node));
        return true;
      case Kind::mechanism_variable:
        return find_mechanism_terms(recording, range, cell, node, terms);
      case Kind::ion_variable:
        find_ion_terms(variable, range, cell, node, terms);
        return true;
      case Kind::weight:
        break;  // of no node
    }
    return true;
  }

  void find_ion_terms(const models::RecordedVariable& variable, const RangePlan& range,
                      std::size_t cell, NodeId node, std::vector<ProbeTerm>& terms) {
    std::string ion;
    auto quantity = mechanisms::SharedQuantity::current;
    split_ion_variable(variable.variable, ion, quantity);
    for (std::size_t i = 0; i < range.ions.size(); ++i)
      if (range.ions[i].ion == ion && range.ions[i].has(quantity)) {
        terms.push_back(term(step::Summand::ion, node));
        terms.back().ion = i;
        terms.back().quantity = quantity;
        return;
      }
    if (quantity != mechanisms::SharedQuantity::current) {
      terms.push_back(term(step::Summand::constant, node));
      terms.back().factor = range.kinds[cell]->ion_value(ion, quantity, node, range.identity(cell),
                                                         network_.run.thermal_mV());
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
    // No synapse at a location sums to 0; a density mechanism that is not there is a mistake.
    if (mechanism && mechanism->signature.kind == MechanismKind::point_process) return true;
    reject(recording.place,
           fmt::format("{} is not at {}, where '{}' asks for {}.{}", variable.mechanism, where(),
                       recording.name, variable.mechanism, variable.variable));
  }

  /// Turns a block's ion current into mA/cm2.
  static double ion_current_factor(const RangePlan& range, std::size_t b, std::size_t cell,
                                   NodeId node) {
    if (!range.mechanism(b).info->is_point_process) return 1;
    const double area = range.kinds[cell]->cell->area_um2(static_cast<std::size_t>(node.value));
    return 100 / (area > 0 ? area : end_node_area_um2);
  }

  /// Adds the variable of every instance of block b that sits on a node of one cell.
  void add_instances(const RangePlan& range, std::size_t b, const std::string& name,
                     std::size_t cell, NodeId node, std::vector<ProbeTerm>& terms, double factor) {
    const int column = range.mechanism(b).column(name);
    if (column < 0) return;
    ProbeTerm found = term(step::Summand::variable, node);
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

  const RangeSources& sources_;
  const bool makes_maps_;
  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  RangePlan& range_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_index_;  ///< cells of the range
  std::size_t synapses_ = 0;  ///< behind the terms found last, merged ones counted one by one
};

/// A recorded cell.
struct OneOfPart {
  std::uint64_t index = 0;
  RecordedCells* part = nullptr;
  std::size_t begin = 0, count = 0;  ///< of the part's elements
};

/// By their numbers.
std::vector<OneOfPart> sorted_cells(const std::vector<RecordedCells*>& parts) {
  std::vector<OneOfPart> cells;
  for (RecordedCells* const part : parts) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < part->indices.size(); begin += part->counts[i++])
      cells.push_back({part->indices[i], part, begin, part->counts[i]});
  }
  std::ranges::sort(cells, {}, &OneOfPart::index);
  return cells;
}

/// Gives a report its columns, cell by cell.
void join(const std::vector<OneOfPart>& cells, models::ReportLayout& layout) {
  std::size_t columns = 0;
  for (const OneOfPart& cell : cells) columns += cell.count;
  layout.element_ids.reserve(columns);
  layout.element_pos.reserve(columns);
  layout.index_pointers.assign(1, 0);
  for (const OneOfPart& cell : cells) {
    layout.node_ids.push_back(cell.index);
    for (std::size_t k = cell.begin; k < cell.begin + cell.count; ++k) {
      layout.element_ids.push_back(cell.part->element_ids[k]);
      layout.element_pos.push_back(cell.part->element_pos[k]);
    }
    layout.index_pointers.push_back(layout.element_ids.size());
  }
}

/// Takes the parts' maps.
void join_maps(const std::vector<OneOfPart>& cells, const std::vector<RecordedCells*>& parts,
               PotentialPlan& plan) {
  const std::size_t contacts = plan.of->size();
  for (const OneOfPart& cell : cells)
    plan.cells.push_back(
        {cell.count, cell.part->potentials.data() + solver::map_size(cell.begin, contacts)});
  for (RecordedCells* const part : parts) plan.maps.push_back(std::move(part->potentials));
}

}  // namespace

void outline_recording(const models::Network& network, const models::Recording& recording,
                       NetworkPlan& plan) {
  const SampleTimes times = times_of(recording, network.run.dt_ms);
  models::ReportLayout layout;
  layout.name = recording.name;
  layout.population = network.populations[recording.of.population.value].name;
  layout.units = recording.variable->unit_text;
  layout.float64 = recording.type == models::Recording::Type::float64;
  layout.gzip_level = recording.gzip_level;
  layout.start_ms = recording.start_ms;
  layout.every_ms = recording.every_ms;
  layout.samples = static_cast<std::uint64_t>(times.count);
  plan.run.samples.push_back(recording.is_mean ? steps_of(times) : times);
  if (recording.potential)
    plan.potentials.push_back({.report = plan.reports.size(),
                               .of = recording.potential,
                               .times = times,
                               .is_mean = recording.is_mean,
                               .is_by_cell = recording.by == models::Recording::By::cell,
                               .cells = {},
                               .maps = {}});
  plan.reports.push_back(std::move(layout));
}

std::vector<RecordedCells> add_probes(const RangeSources& sources, RangePlan& range,
                                      bool makes_maps) {
  return ProbeBuilder(sources, range, makes_maps).add_all();
}

void join_recordings(NetworkPlan& plan) {
  std::vector<std::vector<RecordedCells*>> parts(plan.reports.size());
  for (RangeMade& made : plan.made)
    for (RecordedCells& cells : made.recorded) parts[cells.report].push_back(&cells);
  auto potential = plan.potentials.begin();
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const Asker asker(Asked::record, "report", plan.reports[r].name);
    const std::vector<OneOfPart> cells = sorted_cells(parts[r]);
    join(cells, plan.reports[r]);
    if (potential != plan.potentials.end() && potential->report == r)
      join_maps(cells, parts[r], *potential++);
  }
}

}  // namespace hillock::simulator
