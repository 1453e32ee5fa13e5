#include "simulator/network_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/errors.hpp"

namespace hillock::simulator {

namespace {

[[noreturn]] void reject(const Place& place, std::string message) {
  throw InvalidModel({{Severity::error, place, std::move(message)}});
}

/// Point-process instances of one mechanism in one group, lane by lane, before they are padded.
struct PointDraft {
  const mechanisms::Mechanism* mechanism = nullptr;
  struct Lane {
    std::vector<int> nodes;      ///< [instance]
    std::vector<double> values;  ///< [instance][variable]
  };
  std::vector<Lane> lanes;
};

/// A group while things are put on its cells. Blocks: first the kind's densities, then points.
struct GroupDraft {
  const CellKind* kind = nullptr;
  std::vector<CellIdentity> cells;  ///< [used lane]
  std::vector<PointDraft> points;
  GroupPlan plan;
};

struct CellAddress {
  std::size_t group = 0;
  std::size_t lane = 0;
};

class Builder {
 public:
  Builder(const models::Network& network, int widest) : network_(network), widest_(widest) {}

  BuiltNetwork build() {
    set_run_constants();
    make_groups();
    add_projections();
    add_stimuli();
    lay_out_blocks();
    add_recordings();
    for (auto& draft : drafts_) result_.groups.push_back(std::move(draft.plan));
    return std::move(result_);
  }

 private:
  void set_run_constants() {
    const models::Run& run = network_.run;
    result_.run.dt_ms = run.dt_ms;
    result_.run.celsius = run.temperature_degC;
    result_.run.integrator = run.integrator;
    result_.run.spike_time = run.spike_time;
  }

  // ---- cells ------------------------------------------------------------------------------------

  void make_groups() {
    for (std::uint32_t p = 0; p < network_.populations.size(); ++p) {
      const models::Population& population = network_.populations[p];
      const models::Cell& cell = network_.cells[population.cell];
      const auto& cable = std::get<models::CableCell>(cell.kind);
      first_group_.push_back(drafts_.size());
      const bool random = std::holds_alternative<models::RandomTree>(cable.morphology);
      width_.push_back(random ? 1 : static_cast<std::uint64_t>(widest_));
      for (std::uint64_t begin = 0; begin < population.size; begin += width_.back()) {
        const std::uint64_t end = std::min(begin + width_.back(), population.size);
        drafts_.push_back(make_group(PopulationId(p), cable, begin, end));
      }
    }
  }

  const CellKind& kind_of(const models::CableCell& cable, CellId id) {
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

  CellIdentity identity_of(PopulationId population, std::uint64_t index) const {
    const CellId id(network_.first_cell(population).value + index);
    RandomStream draw(network_.run.seed, Purpose::neuron_r, {id.value, 0, 0});
    return {id, index, network_.populations[population.value].size, draw.uniform(),
            network_.run.seed};
  }

  GroupDraft make_group(PopulationId population, const models::CableCell& cable,
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
    result_.compartments += cells * plan.cell->compartment_count();
    set_initial_voltages(draft);
    if (cable.detector) {
      RandomStream none(0, Purpose::place, {});
      plan.detector_node = solver::resolve(*plan.cell, cable.detector->at, none).front().value;
      plan.threshold_mV = cable.detector->threshold_mV;
    }
    for (const auto& placement : draft.kind->densities) add_density(draft, placement);
    return draft;
  }

  /// Lanes beyond the group's cells repeat its last cell, so that their numbers stay tame.
  static const CellIdentity& cell_of_lane(const GroupDraft& draft, int lane) {
    return draft.cells[std::min(static_cast<std::size_t>(lane), draft.cells.size() - 1)];
  }

  void set_initial_voltages(GroupDraft& draft) {
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

  void add_density(GroupDraft& draft, const DensityPlacement& placement) {
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

  /// A parameter's value, which must lie within its limits wherever it is evaluated.
  static double checked(double number, const MechanismVariable& variable,
                        const models::Value& value, const std::string& what,
                        const solver::Template& cell, NodeId node) {
    const bool below = variable.minimum_excluded ? number <= variable.minimum
                                                 : number < variable.minimum;
    if (!std::isfinite(number) || below || number > variable.maximum)
      reject(value.place(), fmt::format("{} is {:.6g} at {} (it must lie between {:.6g} and {:.6g})",
                                        what, number, cell.describe(node), variable.minimum,
                                        variable.maximum));
    return number;
  }

  CellAddress address_of(PopulationId population, std::uint64_t index) const {
    const std::uint64_t width = width_[population.value];
    return {first_group_[population.value] + index / width, index % width};
  }

  // ---- point processes --------------------------------------------------------------------------

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

  /// Puts one instance on a cell; `values` are its variables in the signature's order.
  network::EventTarget add_point(const CellAddress& address, const mechanisms::Mechanism& mechanism,
                                 NodeId node, const std::vector<double>& values) {
    GroupDraft& draft = drafts_[address.group];
    std::size_t block = 0;
    PointDraft::Lane& lane = points_of(draft, mechanism, block).lanes[address.lane];
    lane.nodes.push_back(node.value);
    lane.values.insert(lane.values.end(), values.begin(), values.end());
    return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(lane.nodes.size() - 1),
            static_cast<std::uint32_t>(address.lane)};
  }

  std::vector<double> defaults_of(const mechanisms::Mechanism& mechanism) const {
    std::vector<double> values;
    for (const auto& variable : mechanism.signature.variables)
      values.push_back(variable.default_value);
    return values;
  }

  const mechanisms::Mechanism& mechanism_of(const models::MechanismUse& use) const {
    const mechanisms::Mechanism* mechanism = mechanisms::find_mechanism(use.name);
    if (!mechanism) reject(use.place, "no mechanism is called '" + use.name + "'");
    return *mechanism;
  }

  /// The variables of one cell as a whole: index, size, r, and x y z, where it lies.
  Bindings bindings_of(PopulationId population, const CellIdentity& cell) {
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

  /// A synapse's variables at a node of a cell. `key` tells apart draws of synapses at one node.
  std::vector<double> synapse_values(const mechanisms::Mechanism& mechanism,
                                     const models::MechanismUse& use, const GroupDraft& draft,
                                     std::size_t lane, NodeId node, const std::string& key) {
    std::vector<double> values = defaults_of(mechanism);
    const CellIdentity& identity = draft.cells[lane];
    for (std::size_t c = 0; c < values.size(); ++c) {
      const MechanismVariable& variable = mechanism.signature.variables[c];
      const auto given = use.parameters.find(variable.name);
      if (given != use.parameters.end()) {
        const std::string what = use.name + '.' + variable.name;
        RandomStream draws(network_.run.seed, Purpose::parameter,
                           {identity.id.value, hash_of(what + key),
                            static_cast<std::uint64_t>(node.value)});
        values[c] = checked(
            given->second.evaluate(bindings_of(draft.plan.population, identity), draws), variable,
            given->second, what, *draft.kind->cell, node);
      } else if (variable.role == VariableRole::ion) {
        values[c] = draft.kind->ion_variable(variable.name, node, identity,
                                             network_.run.temperature_degC);
      }
    }
    return values;
  }

  // ---- projections ------------------------------------------------------------------------------

  struct SourcedTarget {
    std::uint64_t source = 0;
    Outgoing outgoing;
  };

  void add_projections() {
    std::vector<SourcedTarget> all;
    for (std::size_t p = 0; p < network_.projections.size(); ++p) {
      const models::Projection& projection = network_.projections[p];
      const auto& synapse = std::get<models::Synapse>(projection.link);
      const mechanisms::Mechanism& mechanism = mechanism_of(synapse.mechanism);
      const std::uint64_t first_source = network_.first_cell(projection.from.population).value;
      std::map<const CellKind*, std::vector<NodeId>> fixed_places;
      for (const network::Connection& connection : network::connect(network_, p)) {
        const CellAddress address = address_of(projection.to.population, connection.target);
        const GroupDraft& draft = drafts_[address.group];
        const auto resolve = [&] {
          RandomStream draws = network::place_stream(network_, p, connection);
          return solver::resolve(*draft.kind->cell, synapse.at, draws);
        };
        std::vector<NodeId> drawn;
        const std::vector<NodeId>* nodes = &drawn;
        if (synapse.at.kind == models::Locations::Kind::uniform) {
          drawn = resolve();
        } else {
          auto known = fixed_places.find(draft.kind);
          if (known == fixed_places.end())
            known = fixed_places.emplace(draft.kind, resolve()).first;
          nodes = &known->second;
        }
        const std::string key = fmt::format(":{}:{}:{}", p, connection.source, connection.k);
        for (const NodeId node : *nodes) {
          const auto target =
              add_point(address, mechanism, node,
                        synapse_values(mechanism, synapse.mechanism, draft, address.lane, node, key));
          all.push_back({first_source + connection.source,
                         {static_cast<std::uint32_t>(address.group), target,
                          static_cast<std::uint32_t>(p), connection.k, connection.weight,
                          connection.delay_ms}});
        }
        if (result_.shortest_delay_ms == 0 || connection.delay_ms < result_.shortest_delay_ms)
          result_.shortest_delay_ms = connection.delay_ms;
      }
    }
    result_.synapses = all.size();
    sort_by_source(all);
  }

  void sort_by_source(const std::vector<SourcedTarget>& all) {
    OutgoingTable& table = result_.outgoing;
    table.offsets.assign(network_.cell_count() + 1, 0);
    for (const auto& item : all) ++table.offsets[item.source + 1];
    for (std::size_t i = 1; i < table.offsets.size(); ++i) table.offsets[i] += table.offsets[i - 1];
    table.targets.resize(all.size());
    std::vector<std::uint64_t> next(table.offsets.begin(), table.offsets.end() - 1);
    for (const auto& item : all) table.targets[next[item.source]++] = item.outgoing;
  }

  // ---- stimuli ----------------------------------------------------------------------------------

  void add_stimuli() {
    for (std::size_t s = 0; s < network_.stimuli.size(); ++s) {
      const models::Stimulus& stimulus = network_.stimuli[s];
      for (std::uint64_t i = stimulus.to.begin; i < stimulus.to.end; ++i) {
        const CellAddress address = address_of(stimulus.to.population, i);
        if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind))
          add_current_clamp(*clamp, s, address);
        else if (const auto* voltage = std::get_if<models::VoltageClamp>(&stimulus.kind))
          add_voltage_clamp(*voltage, s, address);
        else if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
          add_event_source(*events, s, i - stimulus.to.begin, address);
      }
    }
  }

  /// A stimulus's value for one cell.
  double stimulus_value(const models::Value& value, std::size_t stimulus,
                        const CellIdentity& cell, std::uint64_t what) {
    RandomStream draws(network_.run.seed, Purpose::stimulus, {stimulus, cell.id.value, what});
    const PopulationId population = network_.stimuli[stimulus].to.population;
    const double number = value.evaluate(bindings_of(population, cell), draws);
    if (!std::isfinite(number))
      reject(value.place(), fmt::format("the value for cell {} is not a finite number", cell.index));
    return number;
  }

  std::vector<NodeId> stimulus_nodes(const models::Locations& at, std::size_t stimulus,
                                     const CellAddress& address) const {
    const GroupDraft& draft = drafts_[address.group];
    RandomStream draws(network_.run.seed, Purpose::place,
                       {network::first_stimulus_source + stimulus,
                        draft.cells[address.lane].id.value, 0});
    return solver::resolve(*draft.kind->cell, at, draws);
  }

  void add_current_clamp(const models::CurrentClamp& clamp, std::size_t stimulus,
                         const CellAddress& address) {
    const mechanisms::Mechanism& mechanism = *mechanisms::find_mechanism("iclamp");
    const CellIdentity& cell = drafts_[address.group].cells[address.lane];
    std::vector<double> values = defaults_of(mechanism);
    const auto set = [&](const char* name, double number) {
      values[static_cast<std::size_t>(mechanism.column(name))] = number;
    };
    const auto value = [&](const models::Value& v, std::uint64_t what) {
      return stimulus_value(v, stimulus, cell, what);
    };
    using Kind = models::CurrentClamp::Kind;
    if (clamp.kind == Kind::waveform) {
      set("start", -mechanisms::unlimited);
      set("duration", 2 * mechanisms::unlimited);
    } else {
      const double amplitude = value(clamp.amplitude_nA, 0);
      const double duration = value(clamp.duration_ms, 2);
      set("amplitude", amplitude);
      set("start", value(clamp.start_ms, 1));
      set("duration", duration);
      if (clamp.kind == Kind::pulses) {
        set("period", value(clamp.period_ms, 3));
        set("count", value(clamp.count, 4));
      } else if (duration > 0) {
        set("slope", (value(clamp.final_nA, 5) - amplitude) / duration);
      }
    }
    for (const NodeId node : stimulus_nodes(clamp.at, stimulus, address)) {
      const network::EventTarget target = add_point(address, mechanism, node, values);
      if (clamp.kind == Kind::waveform)
        played_.push_back({address.group, target, &clamp.waveform});
    }
  }

  void add_voltage_clamp(const models::VoltageClamp& clamp, std::size_t stimulus,
                         const CellAddress& address) {
    const mechanisms::Mechanism& mechanism = *mechanisms::find_mechanism("seclamp");
    for (const NodeId node : stimulus_nodes(clamp.at, stimulus, address)) {
      double start = 0;
      for (std::size_t i = 0; i < clamp.levels_mV.size(); ++i) {
        std::vector<double> values = defaults_of(mechanism);
        const double stop = start + clamp.durations_ms[i];
        values[static_cast<std::size_t>(mechanism.column("level"))] = clamp.levels_mV[i];
        values[static_cast<std::size_t>(mechanism.column("rs"))] = clamp.rs_MOhm;
        values[static_cast<std::size_t>(mechanism.column("start"))] = start;
        values[static_cast<std::size_t>(mechanism.column("stop"))] = stop;
        add_point(address, mechanism, node, values);
        start = stop;
      }
    }
  }

  void add_event_source(const models::EventSource& events, std::size_t stimulus,
                        std::uint64_t index_in_slice, const CellAddress& address) {
    const mechanisms::Mechanism& mechanism = mechanism_of(events.synapse.mechanism);
    const GroupDraft& draft = drafts_[address.group];
    const CellIdentity cell = draft.cells[address.lane];
    const auto train = [&]() -> network::EventTrain {
      if (const auto* poisson = std::get_if<models::PoissonSource>(&events.source)) {
        const double rate = stimulus_value(poisson->rate_Hz, stimulus, cell, 10);
        if (rate < 0)
          reject(poisson->rate_Hz.place(),
                 fmt::format("the rate for cell {} is {:.6g} Hz (it must not be negative)",
                             cell.index, rate));
        return network::EventTrain::poisson(rate, poisson->start_ms, poisson->stop_ms,
                                            network_.run.seed, stimulus, cell.id.value);
      }
      const auto& times = std::get<models::SpikeTimes>(events.source);
      return network::EventTrain::times(times.per_cell.empty() ? times.times_ms
                                                               : times.per_cell[index_in_slice]);
    };
    DrivenCell driven{train(), 0, 0, 0, 0, 0, {}};
    driven.source = network::first_stimulus_source + stimulus;
    driven.stimulus = static_cast<std::uint32_t>(stimulus);
    driven.group = static_cast<std::uint32_t>(address.group);
    driven.weight = stimulus_value(events.weight, stimulus, cell, 11);
    driven.delay_ms = stimulus_value(events.delay_ms, stimulus, cell, 12);
    if (driven.delay_ms < 0)
      reject(events.delay_ms.place(), fmt::format("the delay for cell {} is {:.6g} ms (it must not "
                                                  "be negative)",
                                                  cell.index, driven.delay_ms));
    const std::string key = fmt::format(":stimulus:{}", stimulus);
    for (const NodeId node : stimulus_nodes(events.synapse.at, stimulus, address))
      driven.targets.push_back(add_point(
          address, mechanism, node,
          synapse_values(mechanism, events.synapse.mechanism, draft, address.lane, node, key)));
    result_.synapses += driven.targets.size();
    result_.driven.push_back(std::move(driven));
  }

  // ---- blocks -----------------------------------------------------------------------------------

  /// Gives every point block its final, padded arrays. From here on addresses hold.
  void lay_out_blocks() {
    for (auto& draft : drafts_)
      for (auto& points : draft.points) lay_out(draft, points);
    for (const auto& played : played_) {
      GroupPlan& plan = drafts_[played.group].plan;
      const MechanismBlock& block = plan.blocks[played.target.block];
      plan.playbacks.push_back(
          {played.target.block,
           index_of(plan, block, static_cast<std::size_t>(block.mechanism->column("amplitude")),
                    played.target.instance, played.target.lane),
           played.table});
    }
  }

  static std::size_t index_of(const GroupPlan& plan, const MechanismBlock& block,
                              std::size_t variable, std::size_t instance, std::size_t lane) {
    return (variable * block.count + instance) * static_cast<std::size_t>(plan.lanes) + lane;
  }

  void lay_out(GroupDraft& draft, PointDraft& points) {
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

  // ---- recordings -------------------------------------------------------------------------------

  void add_recordings() {
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

  void add_probes(const models::Recording& recording, std::size_t number, std::uint64_t index,
                  io::ReportLayout& layout) {
    const CellAddress address = address_of(recording.of.population, index);
    GroupDraft& draft = drafts_[address.group];
    const solver::Template& cell = *draft.kind->cell;
    RandomStream draws(network_.run.seed, Purpose::place,
                       {(network::first_stimulus_source >> 1) + number,
                        draft.cells[address.lane].id.value, 0});
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
        static_cast<std::size_t>(node.value) * static_cast<std::size_t>(plan.lanes) + lane;
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
    char property = 0;
    split_ion_variable(variable.variable, ion, property);
    if (property != 'i') {
      terms.push_back({ProbeTerm::Kind::constant, 0, 0,
                       draft.kind->ion_variable(variable.variable, node, draft.cells[lane],
                                                network_.run.temperature_degC)});
      return true;
    }
    for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
      const auto& uses = plan.blocks[b].mechanism->signature.ions;
      if (std::any_of(uses.begin(), uses.end(), [&](const IonUse& use) {
            return use.ion == ion && use.writes_current;
          }))
        add_instances(plan, b, variable.variable, lane, node, terms);
    }
    return true;
  }

  bool find_mechanism_terms(const models::Recording& recording, GroupDraft& draft,
                            std::size_t lane, NodeId node, std::vector<ProbeTerm>& terms) {
    const models::RecordedVariable& variable = *recording.variable;
    GroupPlan& plan = draft.plan;
    for (std::size_t b = 0; b < plan.blocks.size(); ++b)
      if (plan.blocks[b].mechanism->signature.name == variable.mechanism)
        add_instances(plan, b, variable.variable, lane, node, terms);
    if (!terms.empty()) return true;
    if (recording.at.kind == models::Locations::Kind::all) return false;
    // No synapse at a place sums to 0; a density mechanism that is not there is a mistake.
    const auto* mechanism = mechanisms::find_mechanism(variable.mechanism);
    if (mechanism && mechanism->signature.kind == MechanismKind::point_process) return true;
    reject(recording.place, fmt::format("{} is not at {}, where '{}' asks for {}.{}",
                                        variable.mechanism, plan.cell->describe(node),
                                        recording.name, variable.mechanism, variable.variable));
  }

  /// Adds the variable of every instance of block b that sits on a node of one cell.
  void add_instances(GroupPlan& plan, std::size_t b, const std::string& name, std::size_t lane,
                     NodeId node, std::vector<ProbeTerm>& terms) {
    MechanismBlock& block = plan.blocks[b];
    const int column = block.mechanism->column(name);
    if (column < 0) return;
    if (block.mechanism->signature.variables[static_cast<std::size_t>(column)].role ==
        VariableRole::assigned)
      block.keep_assigned = true;
    const bool is_point = block.mechanism->signature.kind == MechanismKind::point_process;
    const auto lanes = static_cast<std::size_t>(plan.lanes);
    const auto add = [&](std::size_t i) {
      terms.push_back({ProbeTerm::Kind::variable, b,
                       index_of(plan, block, static_cast<std::size_t>(column), i, lane), 1});
    };
    if (!is_point) {
      const auto at = std::lower_bound(block.nodes.begin(), block.nodes.end(), node.value);
      if (at != block.nodes.end() && *at == node.value)
        add(static_cast<std::size_t>(at - block.nodes.begin()));
      return;
    }
    for (std::size_t i = 0; i < block.count; ++i)
      if (block.nodes[i * lanes + lane] == node.value) add(i);
  }

  struct Played {
    std::size_t group = 0;
    network::EventTarget target;
    const std::vector<std::pair<double, double>>* table = nullptr;
  };

  const models::Network& network_;
  int widest_;
  BuiltNetwork result_;
  std::vector<GroupDraft> drafts_;
  std::vector<std::size_t> first_group_;  ///< [population]
  std::vector<std::uint64_t> width_;      ///< [population] cells a group
  std::deque<CellKind> kinds_;
  std::map<const models::CableCell*, const CellKind*> shared_kinds_;
  std::map<std::uint32_t, std::vector<std::array<double, 3>>> positions_;  ///< [population][cell]
  std::vector<Played> played_;
};

}  // namespace

BuiltNetwork build_network(const models::Network& network, int widest) {
  return Builder(network, widest).build();
}

}  // namespace hillock::simulator
