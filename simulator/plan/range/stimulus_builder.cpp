// Puts electrodes and driven synapses on the cells that stimuli name.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/errors/errors.hpp"
#include "mechanisms/evaluator.hpp"
#include "network/events.hpp"
#include "simulator/plan/range/one_stimulus.hpp"
#include "simulator/plan/range/range_builder.hpp"
#include "simulator/plan/range/synapse_maker.hpp"

namespace hillock::simulator {

namespace {

class CurrentClampOnCells final : public OneStimulus {
 public:
  CurrentClampOnCells(RangeDraft& draft, std::size_t number, const models::CurrentClamp& clamp)
      : OneStimulus(draft, number),
        clamp_(clamp),
        mechanism_(draft.mechanisms().of_key("iclamp")),
        set_(draft.set_of(mechanism_)) {}

  void add() override {
    std::vector<double> values = defaults_of(mechanism_);
    const auto set = [&](const char* name, double number) {
      values[static_cast<std::size_t>(mechanism_.column(name))] = number;
    };
    const bool is_played = clamp_.kind == models::CurrentClamp::Kind::waveform;
    if (is_played) {
      set("start", -mechanisms::unlimited);
      set("duration", 2 * mechanisms::unlimited);
    } else {
      const mechanisms::ElectrodePulses pulses = pulses_of(clamp_);
      set("amplitude", pulses.amplitude);
      set("slope", pulses.slope);
      set("start", pulses.start_ms);
      set("duration", pulses.duration_ms);
      set("period", pulses.period_ms);
      set("count", pulses.count);
    }
    for (const NodeId node : nodes(clamp_.at)) {
      const std::uint32_t instance = draft_.add_point(set_, node, values, MergedInstances::linear);
      if (is_played)
        draft_.plan().playbacks.push_back({set_,
                                           static_cast<std::size_t>(mechanism_.column("amplitude")),
                                           instance, &waveform_of(clamp_)});
    }
  }

 private:
  const models::CurrentClamp& clamp_;
  const mechanisms::Mechanism& mechanism_;
  std::uint32_t set_;
};

class VoltageClampOnCells final : public OneStimulus {
 public:
  VoltageClampOnCells(RangeDraft& draft, std::size_t number, const models::VoltageClamp& clamp)
      : OneStimulus(draft, number),
        clamp_(clamp),
        mechanism_(draft.mechanisms().of_key("seclamp")),
        set_(draft.set_of(mechanism_)) {}

  void add() override {
    const auto column = [&](const char* name) {
      return static_cast<std::size_t>(mechanism_.column(name));
    };
    const double rs = value(clamp_.rs_MOhm, 0);
    std::vector<double> levels, durations;
    for (std::size_t i = 0; i < clamp_.levels_mV.size(); ++i) {
      levels.push_back(value(clamp_.levels_mV[i], 1 + 2 * i));
      durations.push_back(value(clamp_.durations_ms[i], 2 + 2 * i));
    }
    for (const NodeId node : nodes(clamp_.at)) {
      double start = 0;
      for (std::size_t i = 0; i < levels.size(); ++i) {
        std::vector<double> values = defaults_of(mechanism_);
        const double stop = start + durations[i];
        values[column("level")] = levels[i];
        values[column("rs")] = rs;
        values[column("start")] = start;
        values[column("stop")] = stop;
        draft_.add_point(set_, node, values, MergedInstances::linear);
        start = stop;
      }
    }
  }

 private:
  const models::VoltageClamp& clamp_;
  const mechanisms::Mechanism& mechanism_;
  std::uint32_t set_;
};

class PointOnCells final : public OneStimulus {
 public:
  PointOnCells(RangeDraft& draft, std::size_t number, const models::Synapse& point)
      : OneStimulus(draft, number), maker_(draft, point.mechanism, point.at, point.shared) {}

  void add() override { maker_.make(location_draws(), key()); }

 private:
  SynapseMaker maker_;
};

class EventsOnCells final : public OneStimulus {
 public:
  EventsOnCells(RangeDraft& draft, std::size_t number, const models::EventSource& events)
      : OneStimulus(draft, number),
        events_(events),
        own_(mechanism_of_cells(draft.network(), stimulus_.to.population)),
        mechanism_(mechanism_of(own_ ? *own_ : events.synapse.mechanism, draft.mechanisms())),
        set_(draft.set_of(mechanism_)) {
    if (!own_)
      maker_.emplace(draft, events.synapse.mechanism, events.synapse.at, events.synapse.shared);
  }

  void add() override {
    network::DrivenCell driven{train(), network::first_stimulus_source + number_, 0, count_,
                               0,       static_cast<std::uint32_t>(draft_.cell())};
    const double weight = value(events_.weight, 11);
    check_weight(mechanism_, weight, events_.weight.place());
    driven.delay_ms = value(events_.delay_ms, 12);
    std::vector<double> arguments;
    for (const models::Value& argument : events_.arguments)
      arguments.push_back(value(argument, first_argument + arguments.size()));
    const auto own = static_cast<std::uint32_t>(draft_.cell());
    for (const std::uint32_t instance :
         maker_ ? maker_->make(location_draws(), key()) : std::span(&own, 1))
      table_.add(count_,
                 {instance, draft_.add_connection(set_, instance, weight, arguments), weight, 0});
    driven_.push_back(std::move(driven));
    ++count_;
  }

  void finish() override {
    RangePlan& plan = draft_.plan();
    for (network::DrivenCell& driven : driven_)
      driven.table = static_cast<std::uint32_t>(plan.stimuli.size());
    if (plan.driven.empty())
      plan.driven = std::move(driven_);
    else
      std::ranges::move(driven_, std::back_inserter(plan.driven));
    driven_ = {};
    plan.stimuli.push_back(
        {set_, 0, count_, table_.sorted(count_), static_cast<std::uint32_t>(number_)});
  }

 private:
  network::EventTrain train() {
    const CellIdentity& cell = draft_.identity();
    if (const auto* poisson = std::get_if<models::PoissonSource>(&events_.source)) {
      const Period period = period_of(poisson->period);
      return network::EventTrain::poisson(value(poisson->rate_Hz, 10), period.start_ms,
                                          period.stop_ms, draft_.network().run.seed, number_,
                                          cell.id.value);
    }
    const auto& times = std::get<models::SpikeTimes>(events_.source);
    return network::EventTrain::times(
        times.per_cell.empty() ? times.times_ms : times.per_cell[cell.index - stimulus_.to.begin]);
  }

  static constexpr std::uint64_t first_argument = 1000;  // among what is drawn for a stimulus

  const models::EventSource& events_;
  const models::MechanismUse* own_;  ///< of artificial cells, which take events themselves
  const mechanisms::Mechanism& mechanism_;
  std::uint32_t set_;
  std::optional<SynapseMaker> maker_;
  std::uint32_t count_ = 0;
  std::vector<network::DrivenCell> driven_;
  network::FanInDraft table_;
};

class PlayedOnCells final : public OneStimulus {
 public:
  PlayedOnCells(RangeDraft& draft, std::size_t number, const models::PlayedParameter& played)
      : OneStimulus(draft, number), played_(played) {}

  void add() override {
    const std::vector<DensityPlacement>& densities = draft_.kind().densities;
    const auto placed = std::ranges::find_if(densities, [&](const DensityPlacement& one) {
      return one.mechanism->signature.name == played_.mechanism;
    });
    for (const models::Locations& at : played_.at)
      for (const NodeId node : nodes(at)) {
        if (placed == densities.end() || !std::ranges::binary_search(placed->nodes, node.value))
          reject(stimulus_.place, fmt::format("there is no {} at {} of {}", played_.mechanism,
                                              at.text, draft_.identity().name()));
        draft_.plan().playbacks.push_back(
            {static_cast<std::size_t>(placed - densities.begin()),
             static_cast<std::size_t>(placed->mechanism->column(played_.variable)), 0,
             &played_.table, true, static_cast<std::uint32_t>(draft_.cell()), node});
      }
  }

 private:
  const models::PlayedParameter& played_;
};

std::unique_ptr<OneStimulus> make_stimulus(RangeDraft& draft, std::size_t number) {
  if (auto made = make_step_stimulus(draft, number)) return made;
  if (auto made = make_field_stimulus(draft, number)) return made;
  const auto& kind = draft.network().stimuli[number].kind;
  if (const auto* clamp = std::get_if<models::CurrentClamp>(&kind))
    return std::make_unique<CurrentClampOnCells>(draft, number, *clamp);
  if (const auto* voltage = std::get_if<models::VoltageClamp>(&kind))
    return std::make_unique<VoltageClampOnCells>(draft, number, *voltage);
  if (const auto* events = std::get_if<models::EventSource>(&kind))
    return std::make_unique<EventsOnCells>(draft, number, *events);
  if (const auto* placed = std::get_if<models::PlacedPoint>(&kind))
    return std::make_unique<PointOnCells>(draft, number, placed->point);
  if (const auto* played = std::get_if<models::PlayedParameter>(&kind))
    return std::make_unique<PlayedOnCells>(draft, number, *played);
  return nullptr;
}

/// What a stimulus puts on cells.
struct PutMechanism {
  std::string_view name;     ///< empty for none
  bool is_of_a_key = false;  ///< that of `iclamp` or `seclamp`, whatever else is called so

  bool operator==(const PutMechanism&) const = default;
};

PutMechanism mechanism_put_by(const models::Stimulus& stimulus, const RangeDraft& draft) {
  if (std::holds_alternative<models::CurrentClamp>(stimulus.kind)) {
    if (mechanism_of_cells(draft.network(), stimulus.to.population)) return {};
    return {"iclamp", true};
  }
  if (std::holds_alternative<models::VoltageClamp>(stimulus.kind)) return {"seclamp", true};
  if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
    return {placed->point.mechanism.name};
  if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind)) {
    const auto* own = mechanism_of_cells(draft.network(), stimulus.to.population);
    return {own ? own->name : events->synapse.mechanism.name};
  }
  return {};
}

}  // namespace

StimulusBuilder::StimulusBuilder(RangeDraft& draft, std::span<const std::uint32_t> numbers)
    : draft_(draft) {
  const auto& all = draft.network().stimuli;
  const RangePlan& plan = draft.plan();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cells;  // index, and place in the range
  PutMechanism known;
  for (const std::uint32_t s : numbers) {
    const models::PopulationSlice& to = all[s].to;
    if (cells.empty()) {
      of_cell_.resize(plan.cell_count());
      for (std::uint32_t c = 0; c < plan.cell_count(); ++c) cells.emplace_back(plan.indices[c], c);
      std::ranges::sort(cells);
    }
    // The order of mechanisms is that of all stimuli, whichever reach this range.
    const PutMechanism put = mechanism_put_by(all[s], draft);
    if (!put.name.empty() && put != known) {
      const mechanisms::Registry& registry = draft.mechanisms();
      const std::string name(put.name);
      const auto* const mechanism = put.is_of_a_key ? &registry.of_key(name) : registry.find(name);
      if (mechanism) draft.set_of(*mechanism);
    }
    known = put;
    const auto index = &std::pair<std::uint64_t, std::uint32_t>::first;
    const auto begin = std::ranges::lower_bound(cells, to.begin, {}, index);
    const auto end = std::ranges::lower_bound(cells, to.end, {}, index);
    if (begin == end) continue;
    auto made = make_stimulus(draft, s);
    if (!made) continue;
    for (auto cell = begin; cell != end; ++cell)
      of_cell_[cell->second].push_back(static_cast<std::uint32_t>(stimuli_.size()));
    stimuli_.push_back(std::move(made));
  }
}

StimulusBuilder::~StimulusBuilder() = default;

void StimulusBuilder::add_to_cell() {
  if (of_cell_.empty()) return;
  for (const std::uint32_t s : of_cell_[draft_.cell()]) stimuli_[s]->add();
}

void StimulusBuilder::finish() {
  for (const auto& stimulus : stimuli_) stimulus->finish();
}

}  // namespace hillock::simulator
