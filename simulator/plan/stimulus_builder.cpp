// Puts electrodes and driven synapses on the cells that stimuli name.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/errors.hpp"
#include "mechanisms/evaluator.hpp"
#include "network/events.hpp"
#include "simulator/plan/range_builder.hpp"
#include "simulator/plan/synapse_maker.hpp"
#include "solver/cable/locations.hpp"

namespace hillock::simulator {

namespace {

/// One stimulus on the draft's current cell.
class OneStimulus {
 public:
  OneStimulus(RangeDraft& draft, std::size_t number)
      : draft_(draft), number_(number), stimulus_(draft.network().stimuli[number]) {}
  virtual ~OneStimulus() = default;

  virtual void add() = 0;
  virtual void finish() {}

 protected:
  /// A value for the cell. what: tells apart the draws of one stimulus.
  double value(const models::Value& value, std::uint64_t what) {
    RandomStream draws(draft_.network().run.seed, Purpose::stimulus,
                       {number_, draft_.identity().id.value, what});
    return value.evaluate(draft_.bindings(), draws, [&] { return draft_.identity().name(); });
  }

  RandomStream location_draws() const {
    return RandomStream(draft_.network().run.seed, Purpose::location,
                        {network::first_stimulus_source + number_, draft_.identity().id.value, 0});
  }
  std::vector<NodeId> nodes(const models::Locations& at) const {
    RandomStream draws = location_draws();
    return solver::resolve(*draft_.kind().cell, at, draws);
  }
  SynapseKey key() const { return {":stimulus", {number_}, 1}; }

  struct Period {
    double start_ms, stop_ms;
  };
  Period period_of(const models::PoissonSource& poisson) {
    const Period period{value(poisson.start_ms, 13), value(poisson.stop_ms, 14)};
    if (period.stop_ms <= period.start_ms)
      reject(stimulus_.place,
             fmt::format("the stop {:.12g} ms for {} must be later than the start, {:.12g} ms",
                         period.stop_ms, draft_.identity().name(), period.start_ms));
    return period;
  }

  RangeDraft& draft_;
  std::size_t number_;
  const models::Stimulus& stimulus_;
};

class CurrentClampOnCells final : public OneStimulus {
 public:
  CurrentClampOnCells(RangeDraft& draft, std::size_t number, const models::CurrentClamp& clamp)
      : OneStimulus(draft, number),
        clamp_(clamp),
        mechanism_(*draft.mechanisms().find("iclamp")),
        set_(draft.set_of(mechanism_)) {}

  void add() override {
    std::vector<double> values = defaults_of(mechanism_);
    const auto set = [&](const char* name, double number) {
      values[static_cast<std::size_t>(mechanism_.column(name))] = number;
    };
    using Kind = models::CurrentClamp::Kind;
    if (clamp_.kind == Kind::waveform) {
      set("start", -mechanisms::unlimited);
      set("duration", 2 * mechanisms::unlimited);
    } else {
      const double amplitude = value(clamp_.amplitude_nA, 0);
      const double duration = value(clamp_.duration_ms, 2);
      set("amplitude", amplitude);
      set("start", value(clamp_.start_ms, 1));
      set("duration", duration);
      if (clamp_.kind == Kind::pulses)
        set_pulses(duration, set);
      else if (duration > 0)
        set("slope", (value(clamp_.final_nA, 5) - amplitude) / duration);
    }
    for (const NodeId node : nodes(clamp_.at)) {
      const std::uint32_t instance = draft_.add_point(set_, node, values, false);
      if (clamp_.kind == Kind::waveform)
        draft_.plan().playbacks.push_back({set_,
                                           static_cast<std::size_t>(mechanism_.column("amplitude")),
                                           instance, &waveform()});
    }
  }

 private:
  /// The cell's own.
  const std::vector<std::pair<double, double>>& waveform() {
    const double which = value(clamp_.which, 6);
    const auto count = static_cast<double>(clamp_.waveforms.size());
    if (!(which >= 0 && which < count) || which != std::floor(which))
      reject(clamp_.which.place(),
             fmt::format("{} waveforms, but {} has number {:.12g} (whole numbers from 0)", count,
                         draft_.identity().name(), which));
    return clamp_.waveforms[static_cast<std::size_t>(which)];
  }

  template <class Set>
  void set_pulses(double duration, const Set& set) {
    const double period = value(clamp_.period_ms, 3);
    const double count = value(clamp_.count, 4);
    const std::string name = draft_.identity().name();
    if (count != std::floor(count))
      reject(clamp_.count.place(),
             fmt::format("the count {:.12g} for {} must be a whole number of pulses", count, name));
    if (count > 1 && period < duration)
      reject(stimulus_.place,
             fmt::format("the period {:.12g} ms for {} must not be shorter than the width, "
                         "{:.12g} ms",
                         period, name, duration));
    set("period", period);
    set("count", count);
  }

  const models::CurrentClamp& clamp_;
  const mechanisms::Mechanism& mechanism_;
  std::uint32_t set_;
};

class VoltageClampOnCells final : public OneStimulus {
 public:
  VoltageClampOnCells(RangeDraft& draft, std::size_t number, const models::VoltageClamp& clamp)
      : OneStimulus(draft, number),
        clamp_(clamp),
        mechanism_(*draft.mechanisms().find("seclamp")),
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
        draft_.add_point(set_, node, values, false);
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
    const auto own = static_cast<std::uint32_t>(draft_.cell());
    for (const std::uint32_t instance :
         maker_ ? maker_->make(location_draws(), key()) : std::span(&own, 1))
      table_.add(count_, {instance, draft_.add_connection(set_, instance, weight), weight, 0});
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
      const Period period = period_of(*poisson);
      return network::EventTrain::poisson(value(poisson->rate_Hz, 10), period.start_ms,
                                          period.stop_ms, draft_.network().run.seed, number_,
                                          cell.id.value);
    }
    const auto& times = std::get<models::SpikeTimes>(events_.source);
    return network::EventTrain::times(
        times.per_cell.empty() ? times.times_ms : times.per_cell[cell.index - stimulus_.to.begin]);
  }

  const models::EventSource& events_;
  const models::MechanismUse* own_;  ///< of artificial cells, which take events themselves
  const mechanisms::Mechanism& mechanism_;
  std::uint32_t set_;
  std::optional<SynapseMaker> maker_;
  std::uint32_t count_ = 0;
  std::vector<network::DrivenCell> driven_;
  network::FanInDraft table_;
};

/// A stimulus that draws for point neurons in every step.
class StepInputOnCells : public OneStimulus {
 public:
  StepInputOnCells(RangeDraft& draft, std::size_t number) : OneStimulus(draft, number) {
    if (number > most_stimuli)
      reject(stimulus_.place,
             fmt::format("a model may have {} stimuli that draw in every step", most_stimuli));
    neurons_.seed = draft.network().run.seed;
    neurons_.stimulus = static_cast<std::uint32_t>(number);
  }

 protected:
  static constexpr std::size_t most_stimuli = 65535;

  void add_neuron() {
    neurons_.cells.push_back(static_cast<std::uint32_t>(draft_.cell()));
    neurons_.ids.push_back(draft_.identity().id.value);
  }
  double step_ms() const { return draft_.plan().population->step.ms; }
  std::int64_t step_of(double time_ms) const {
    constexpr double last_ms = 1e15;
    return network::arrival_step(std::min(time_ms, last_ms), step_ms());
  }

  DrivenNeurons neurons_;
};

class GaussianOnCells final : public StepInputOnCells {
 public:
  GaussianOnCells(RangeDraft& draft, std::size_t number, const models::GaussianInput& input)
      : StepInputOnCells(draft, number), input_(input) {}

  void add() override {
    add_neuron();
    mean_.push_back(value(input_.mean, 20));
    sd_.push_back(value(input_.sd, 21));
  }
  void finish() override {
    draft_.plan().step_inputs.push_back(
        GaussianNoise{std::move(neurons_), std::move(mean_), std::move(sd_)});
  }

 private:
  const models::GaussianInput& input_;
  OneOrMany mean_, sd_;
};

/// Poisson trains onto point neurons, of which only the number in a step is drawn.
class PoissonOnNeurons final : public StepInputOnCells {
 public:
  PoissonOnNeurons(RangeDraft& draft, std::size_t number, const models::EventSource& events)
      : StepInputOnCells(draft, number),
        events_(events),
        mechanism_(mechanism_of(*mechanism_of_cells(draft.network(), stimulus_.to.population),
                                draft.mechanisms())) {}

  void add() override {
    add_neuron();
    const auto& poisson = std::get<models::PoissonSource>(events_.source);
    const double a_step = value(poisson.rate_Hz, 10) * 1e-3 * step_ms();
    if (a_step > most_a_step)
      reject(stimulus_.place,
             fmt::format("{:.6g} events a step for {}; at most {} can be drawn at once (several "
                         "stimuli add up)",
                         a_step, draft_.identity().name(), most_a_step));
    const Period period = period_of(poisson);
    const double delay_ms = value(events_.delay_ms, 12);
    counts_.expected.push_back(a_step);
    counts_.weight.push_back(value(events_.weight, 11));
    check_weight(mechanism_, counts_.weight[counts_.weight.size() - 1], events_.weight.place());
    counts_.first.push_back(step_of(period.start_ms + delay_ms));
    counts_.last.push_back(step_of(period.stop_ms + delay_ms));
  }
  void finish() override {
    counts_.neurons = std::move(neurons_);
    draft_.plan().step_inputs.push_back(std::move(counts_));
  }

 private:
  static constexpr double most_a_step = 600;

  const models::EventSource& events_;
  const mechanisms::Mechanism& mechanism_;
  EventCounts counts_;
};

std::unique_ptr<OneStimulus> make_stimulus(RangeDraft& draft, std::size_t number) {
  const auto& kind = draft.network().stimuli[number].kind;
  if (const auto* clamp = std::get_if<models::CurrentClamp>(&kind))
    return std::make_unique<CurrentClampOnCells>(draft, number, *clamp);
  if (const auto* voltage = std::get_if<models::VoltageClamp>(&kind))
    return std::make_unique<VoltageClampOnCells>(draft, number, *voltage);
  if (const auto* events = std::get_if<models::EventSource>(&kind)) {
    if (draft.plan().population->is_point_neuron &&
        std::holds_alternative<models::PoissonSource>(events->source))
      return std::make_unique<PoissonOnNeurons>(draft, number, *events);
    return std::make_unique<EventsOnCells>(draft, number, *events);
  }
  if (const auto* gaussian = std::get_if<models::GaussianInput>(&kind))
    return std::make_unique<GaussianOnCells>(draft, number, *gaussian);
  if (const auto* placed = std::get_if<models::PlacedPoint>(&kind))
    return std::make_unique<PointOnCells>(draft, number, placed->point);
  return nullptr;
}

/// The mechanism that a stimulus puts on cells; empty for none.
std::string_view mechanism_name_of(const models::Stimulus& stimulus, const RangeDraft& draft) {
  if (std::holds_alternative<models::CurrentClamp>(stimulus.kind)) return "iclamp";
  if (std::holds_alternative<models::VoltageClamp>(stimulus.kind)) return "seclamp";
  if (const auto* placed = std::get_if<models::PlacedPoint>(&stimulus.kind))
    return placed->point.mechanism.name;
  if (const auto* events = std::get_if<models::EventSource>(&stimulus.kind)) {
    const auto* own = mechanism_of_cells(draft.network(), stimulus.to.population);
    return own ? own->name : events->synapse.mechanism.name;
  }
  return {};
}

}  // namespace

struct StimulusBuilder::Impl {
  RangeDraft& draft;
  std::vector<std::unique_ptr<OneStimulus>> stimuli;  ///< that reach a cell of the range
  std::vector<std::vector<std::uint32_t>> of_cell;    ///< [cell] into `stimuli`; or nothing
};

StimulusBuilder::StimulusBuilder(RangeDraft& draft)
    : impl_(std::make_unique<Impl>(Impl{draft, {}, {}})) {
  const auto& all = draft.network().stimuli;
  const RangePlan& plan = draft.plan();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cells;  // index, and place in the range
  std::string_view known;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const models::PopulationSlice& to = all[s].to;
    if (to.population != plan.population->id) continue;
    if (cells.empty()) {
      impl_->of_cell.resize(plan.cell_count());
      for (std::uint32_t c = 0; c < plan.cell_count(); ++c) cells.emplace_back(plan.indices[c], c);
      std::ranges::sort(cells);
    }
    // The order of mechanisms is that of all stimuli, whichever reach this range.
    const std::string_view name = mechanism_name_of(all[s], draft);
    if (!name.empty() && name != known)
      if (const auto* mechanism = draft.mechanisms().find(std::string(name)))
        draft.set_of(*mechanism);
    known = name;
    const auto index = &std::pair<std::uint64_t, std::uint32_t>::first;
    const auto begin = std::ranges::lower_bound(cells, to.begin, {}, index);
    const auto end = std::ranges::lower_bound(cells, to.end, {}, index);
    if (begin == end) continue;
    auto made = make_stimulus(draft, s);
    if (!made) continue;
    for (auto cell = begin; cell != end; ++cell)
      impl_->of_cell[cell->second].push_back(static_cast<std::uint32_t>(impl_->stimuli.size()));
    impl_->stimuli.push_back(std::move(made));
  }
}

StimulusBuilder::~StimulusBuilder() = default;

void StimulusBuilder::add_to_cell() {
  if (impl_->of_cell.empty()) return;
  for (const std::uint32_t s : impl_->of_cell[impl_->draft.cell()]) impl_->stimuli[s]->add();
}

void StimulusBuilder::finish() {
  for (const auto& stimulus : impl_->stimuli) stimulus->finish();
}

}  // namespace hillock::simulator
