// Puts electrodes and driven synapses on the cells that stimuli name.

#include <fmt/format.h>

#include <cmath>

#include "core/errors.hpp"
#include "mechanisms/evaluator.hpp"
#include "simulator/network_draft.hpp"

namespace hillock::simulator {

namespace {

class StimulusBuilder {
 public:
  StimulusBuilder(NetworkDraft& draft, BuiltNetwork& result)
      : draft_(draft), network_(draft.network()), result_(result) {}

  void add_all() {
    for (std::size_t s = 0; s < network_.stimuli.size(); ++s) {
      const models::Stimulus& stimulus = network_.stimuli[s];
      for (std::uint64_t i = stimulus.to.begin; i < stimulus.to.end; ++i) {
        const CellAddress address = draft_.address_of(stimulus.to.population, i);
        if (const auto* clamp = std::get_if<models::CurrentClamp>(&stimulus.kind))
          add_current_clamp(*clamp, s, address);
        else if (const auto* voltage = std::get_if<models::VoltageClamp>(&stimulus.kind))
          add_voltage_clamp(*voltage, s, address);
        else if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind))
          add_event_source(*events, s, i - stimulus.to.begin, address);
        else if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
          add_point(placed->point, s, address);
      }
    }
  }

 private:
  /// A stimulus's value for one cell.
  double stimulus_value(const models::Value& value, std::size_t stimulus, const CellIdentity& cell,
                        std::uint64_t what) {
    RandomStream draws(network_.run.seed, Purpose::stimulus, {stimulus, cell.id.value, what});
    const PopulationId population = network_.stimuli[stimulus].to.population;
    return value.evaluate(draft_.bindings_of(population, cell), draws, [&] { return cell.name(); });
  }

  std::vector<NodeId> stimulus_nodes(const models::Locations& at, std::size_t stimulus,
                                     const CellAddress& address) const {
    const GroupDraft& draft = draft_.group(address.group);
    RandomStream draws(
        network_.run.seed, Purpose::place,
        {network::first_stimulus_source + stimulus, draft.cells[address.lane].id.value, 0});
    return solver::resolve(*draft.kinds[address.lane]->cell, at, draws);
  }

  void add_current_clamp(const models::CurrentClamp& clamp, std::size_t stimulus,
                         const CellAddress& address) {
    const mechanisms::Mechanism& mechanism = *draft_.mechanisms().find("iclamp");
    const CellIdentity& cell = draft_.group(address.group).cells[address.lane];
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
        const double period = value(clamp.period_ms, 3);
        const double count = value(clamp.count, 4);
        if (count != std::floor(count))
          reject(clamp.count.place(), fmt::format("the count {:.12g} for {} must be a whole number "
                                                  "of pulses",
                                                  count, cell.name()));
        if (count > 1 && period < duration)
          reject(network_.stimuli[stimulus].place,
                 fmt::format("the period {:.12g} ms for {} must not be shorter than the width, "
                             "{:.12g} ms",
                             period, cell.name(), duration));
        set("period", period);
        set("count", count);
      } else if (duration > 0) {
        set("slope", (value(clamp.final_nA, 5) - amplitude) / duration);
      }
    }
    for (const NodeId node : stimulus_nodes(clamp.at, stimulus, address)) {
      const network::EventTarget target = draft_.add_point(address, mechanism, node, values);
      if (clamp.kind == Kind::waveform)
        draft_.play(address.group, target, "amplitude", clamp.waveform);
    }
  }

  void add_voltage_clamp(const models::VoltageClamp& clamp, std::size_t stimulus,
                         const CellAddress& address) {
    const mechanisms::Mechanism& mechanism = *draft_.mechanisms().find("seclamp");
    for (const NodeId node : stimulus_nodes(clamp.at, stimulus, address)) {
      double start = 0;
      for (std::size_t i = 0; i < clamp.levels_mV.size(); ++i) {
        std::vector<double> values = defaults_of(mechanism);
        const double stop = start + clamp.durations_ms[i];
        values[static_cast<std::size_t>(mechanism.column("level"))] = clamp.levels_mV[i];
        values[static_cast<std::size_t>(mechanism.column("rs"))] = clamp.rs_MOhm;
        values[static_cast<std::size_t>(mechanism.column("start"))] = start;
        values[static_cast<std::size_t>(mechanism.column("stop"))] = stop;
        draft_.add_point(address, mechanism, node, values);
        start = stop;
      }
    }
  }

  void add_point(const models::Synapse& point, std::size_t stimulus, const CellAddress& address) {
    const mechanisms::Mechanism& mechanism = mechanism_of(point.mechanism, draft_.mechanisms());
    const std::string key = fmt::format(":stimulus:{}", stimulus);
    for (const NodeId node : stimulus_nodes(point.at, stimulus, address))
      draft_.add_point(address, mechanism, node,
                       draft_.synapse_values(point.mechanism, address, node, key), point.shared);
  }

  void add_event_source(const models::EventSource& events, std::size_t stimulus,
                        std::uint64_t index_in_slice, const CellAddress& address) {
    const PopulationId population = network_.stimuli[stimulus].to.population;
    const auto* artificial = std::get_if<models::ArtificialCell>(
        &network_.cells[network_.populations[population.value].cell].kind);
    const models::MechanismUse& use = artificial ? artificial->mechanism : events.synapse.mechanism;
    const mechanisms::Mechanism& mechanism = mechanism_of(use, draft_.mechanisms());
    const GroupDraft& draft = draft_.group(address.group);
    const CellIdentity cell = draft.cells[address.lane];
    const auto train = [&]() -> network::EventTrain {
      if (const auto* poisson = std::get_if<models::PoissonSource>(&events.source)) {
        const double rate = stimulus_value(poisson->rate_Hz, stimulus, cell, 10);
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
    check_weight(mechanism, driven.weight, events.weight.place());
    driven.delay_ms = stimulus_value(events.delay_ms, stimulus, cell, 12);
    if (const auto instance = draft_.cell_target(population, address)) {
      driven.targets.push_back(draft_.add_connection(address, *instance, driven.weight));
      result_.synapses += 1;
      result_.driven.push_back(std::move(driven));
      return;
    }
    const std::string key = fmt::format(":stimulus:{}", stimulus);
    for (const NodeId node : stimulus_nodes(events.synapse.at, stimulus, address)) {
      const auto instance =
          draft_.add_point(address, mechanism, node,
                           draft_.synapse_values(events.synapse.mechanism, address, node, key),
                           events.synapse.shared);
      driven.targets.push_back(draft_.add_connection(address, instance, driven.weight));
    }
    result_.synapses += driven.targets.size();
    result_.driven.push_back(std::move(driven));
  }

  NetworkDraft& draft_;
  const models::Network& network_;
  BuiltNetwork& result_;
};

}  // namespace

void add_stimuli(NetworkDraft& draft, BuiltNetwork& result) {
  StimulusBuilder(draft, result).add_all();
}

}  // namespace hillock::simulator
