// Puts on point neurons the stimuli that give them something in every step.

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/errors/errors.hpp"
#include "simulator/plan/range/one_stimulus.hpp"
#include "simulator/plan/range/range_builder.hpp"

namespace hillock::simulator {

namespace {

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
  /// That of the model, so much later.
  void add_period(const models::Period& of_model, double delay_ms, StepPeriod& to) {
    const Period period = period_of(of_model);
    to.first.push_back(step_of(period.start_ms + delay_ms));
    to.last.push_back(step_of(period.stop_ms + delay_ms));
  }

  DrivenNeurons neurons_;

 private:
  std::int64_t step_of(double time_ms) const {
    constexpr double last_ms = 1e15;
    return network::arrival_step(std::min(time_ms, last_ms), step_ms());
  }
};

class GaussianOnCells final : public StepInputOnCells {
 public:
  GaussianOnCells(RangeDraft& draft, std::size_t number, const models::GaussianInput& input)
      : StepInputOnCells(draft, number), input_(input) {}

  void add() override {
    add_neuron();
    noise_.mean.push_back(value(input_.mean, 20));
    noise_.sd.push_back(value(input_.sd, 21));
    add_period(input_.period, 0, noise_.period);
  }
  void finish() override {
    noise_.neurons = std::move(neurons_);
    draft_.plan().step_inputs.push_back(std::move(noise_));
  }

 private:
  const models::GaussianInput& input_;
  GaussianNoise noise_;
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
    const double delay_ms = value(events_.delay_ms, 12);
    counts_.expected.push_back(a_step);
    counts_.weight.push_back(value(events_.weight, 11));
    check_weight(mechanism_, counts_.weight[counts_.weight.size() - 1], events_.weight.place());
    add_period(poisson.period, delay_ms, counts_.period);
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

class CurrentOnNeurons final : public StepInputOnCells {
 public:
  CurrentOnNeurons(RangeDraft& draft, std::size_t number, const models::CurrentClamp& clamp)
      : StepInputOnCells(draft, number), clamp_(clamp) {}

  void add() override {
    add_neuron();
    if (clamp_.kind == models::CurrentClamp::Kind::waveform)
      current_.waveforms.push_back(&waveform_of(clamp_));
    else
      current_.pulses.push_back(pulses_of(clamp_));
  }
  void finish() override {
    current_.neurons = std::move(neurons_);
    draft_.plan().step_inputs.push_back(std::move(current_));
  }

 private:
  const models::CurrentClamp& clamp_;
  InjectedCurrent current_;
};

}  // namespace

std::unique_ptr<OneStimulus> make_step_stimulus(RangeDraft& draft, std::size_t number) {
  if (!draft.plan().population->is_point_neuron) return nullptr;
  const auto& kind = draft.network().stimuli[number].kind;
  if (const auto* clamp = std::get_if<models::CurrentClamp>(&kind))
    return std::make_unique<CurrentOnNeurons>(draft, number, *clamp);
  if (const auto* gaussian = std::get_if<models::GaussianInput>(&kind))
    return std::make_unique<GaussianOnCells>(draft, number, *gaussian);
  const auto* events = std::get_if<models::EventSource>(&kind);
  if (events && std::holds_alternative<models::PoissonSource>(events->source))
    return std::make_unique<PoissonOnNeurons>(draft, number, *events);
  return nullptr;
}

}  // namespace hillock::simulator
