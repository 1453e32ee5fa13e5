#include "simulator/backends/cpu/points/point_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/containers/memory_size.hpp"
#include "core/errors/errors.hpp"
#include "simulator/backends/cpu/groups/block_view.hpp"
#include "simulator/backends/cpu/groups/kernels_of.hpp"
#include "simulator/backends/cpu/groups/range_groups.hpp"
#include "simulator/backends/cpu/layout/model_order.hpp"
#include "simulator/step/point_step.hpp"

namespace hillock::simulator::cpu {

namespace {

/// What step/samples.hpp asks for: a point neuron has no membrane.
struct Numbers {
  const LaneArray& columns;

  static const double* at_nodes(step::Summand) { return nullptr; }
  static double voltage(const SampledTerm&) { return 0; }
  static double membrane_nA(const SampledTerm&) { return 0; }
  double number(const SampledTerm& term) const { return columns[term.index]; }
};

}  // namespace

PointGroup::PointGroup(GroupLayout layout, std::size_t first_cell, const RunConstants& run)
    : group_(std::move(layout)),
      run_(run),
      step_(group_.population->step),
      first_cell_(first_cell),
      neurons_(group_.indices.size()),
      no_voltage_((group_.row_count() + 1) * group_.width()),
      view_(view_of(block(), group_.width())),
      kernels_(*kernels_of(group_, mechanisms::Arithmetic::of_doubles).front()),
      info_(*block().mechanism->info),
      spiked_(neurons_),
      schedule_(group_, run_.samples) {
  group_.forget_nodes();
}

void PointGroup::initialise() {
  cpu::initialise(block(), view_, group_.width(), group_.packs, kernels_, run_.at(0, step_.ms),
                  no_voltage_.data());
  find_differing();
}

/// The current of stimuli is another one in every step.
void PointGroup::find_differing() {
  differing_.clear();
  if (info_.changes_parameters) return;
  for (int c = 0; c < info_.first_state(); ++c) {
    const double* const numbers = column(c);
    const auto is_first = [&](double number) {
      return std::bit_cast<std::uint64_t>(number) == std::bit_cast<std::uint64_t>(numbers[0]);
    };
    if (!std::all_of(numbers, numbers + block().count * group_.width(), is_first))
      differing_.push_back(c);
  }
  if (info_.injected >= 0) differing_.push_back(info_.injected);
}

void PointGroup::sample_start(std::span<const SampleBuffer> samples) {
  schedule_.begin_epoch(0, 0);
  sample(0, samples);
}

void PointGroup::advance(Epoch epoch, network::InputRing& inputs, const network::SumGrid& grid,
                         std::span<const StepInput> step_inputs,
                         std::vector<network::CellSpike>& spikes,
                         std::span<const SampleBuffer> samples) {
  begin(epoch);
  for (std::int64_t end = epoch.first + 1; end <= epoch.last; ++end)
    advance_to(end, inputs, grid, step_inputs, spikes, samples);
}

void PointGroup::begin(Epoch epoch) {
  schedule_.begin_epoch(epoch.first, epoch.last);
  last_kept_ = epoch.is_saved || epoch.next_last == epoch.last ? epoch.last : -1;
}

/// The executor of step/point_step.hpp whose neurons are lanes.
class PointGroup::Step {
 public:
  Step(PointGroup& group, network::InputRing& inputs, const network::SumGrid& grid,
       std::span<const StepInput> step_inputs, std::vector<network::CellSpike>& spikes)
      : group_(group), inputs_(inputs), grid_(grid), step_inputs_(step_inputs), spikes_(spikes) {}

  long long run_steps() const { return group_.step_.run_steps; }
  double dt_ms() const { return group_.step_.ms; }

  void take_inputs(std::int64_t own) {
    group_.add_step_inputs(own, inputs_, grid_, step_inputs_);
    for (std::size_t channel = 0; channel < (group_.info_.negative_input < 0 ? 1 : 2); ++channel)
      work_.sums[channel] = inputs_.sums(own, channel) + group_.first_cell_;
    time_ms_ = static_cast<double>(group_.info_.spikes_at_beginning ? own : own + 1) * dt_ms();
  }

  bool advance(double end_ms, bool settles, bool is_checked) {
    work_.neurons = group_.neurons_;
    work_.spacing = grid_.spacing();
    work_.differing = group_.differing_.data();
    work_.differing_count = group_.differing_.size();
    work_.settles = settles;
    work_.is_checked = is_checked;
    const mechanisms::PointStepOutcome result = group_.kernels_.step(
        group_.view_, group_.run_.at(end_ms, dt_ms()), work_, group_.spiked_.data());
    for (std::size_t k = 0; k < result.spikes; ++k)
      spikes_.push_back({time_ms_, group_.group_.id_of(group_.spiked_[k])});
    return result.is_finite;
  }

  void check_finite(std::int64_t step) const { group_.check_finite(step + 1); }

 private:
  PointGroup& group_;
  network::InputRing& inputs_;
  const network::SumGrid& grid_;
  std::span<const StepInput> step_inputs_;
  std::vector<network::CellSpike>& spikes_;
  mechanisms::PointStepWork work_;
  double time_ms_ = 0;  ///< of spikes
};

void PointGroup::advance_to(std::int64_t end, network::InputRing& inputs,
                            const network::SumGrid& grid, std::span<const StepInput> step_inputs,
                            std::vector<network::CellSpike>& spikes,
                            std::span<const SampleBuffer> samples) {
  Step neurons(*this, inputs, grid, step_inputs, spikes);
  step::take_point_step(neurons, end - 1, end == last_kept_);
  if (schedule_.is_due(end)) sample(end, samples);
}

void PointGroup::add_step_inputs(std::int64_t step, network::InputRing& inputs,
                                 const network::SumGrid& grid,
                                 std::span<const StepInput> step_inputs) {
  for (const StepInput& input : step_inputs)
    if (const auto* counts = std::get_if<EventCounts>(&input))
      counts->add(step, first_cell_, neurons_, inputs, grid);
  if (info_.injected < 0) return;
  double* const injected = column(info_.injected);
  std::fill_n(injected, neurons_, 0);
  for (const StepInput& input : step_inputs)
    if (const auto* noise = std::get_if<GaussianNoise>(&input))
      noise->add(step, first_cell_, {injected, neurons_});
    else if (const auto* current = std::get_if<InjectedCurrent>(&input))
      current->add((static_cast<double>(step) + 0.5) * step_.ms, first_cell_, {injected, neurons_});
}

std::uint32_t PointGroup::neuron_of(CellId cell) const {
  const std::uint64_t index = cell.value - group_.population->first.value;
  const auto at = std::ranges::lower_bound(group_.indices, index);
  return static_cast<std::uint32_t>(first_cell_ +
                                    static_cast<std::size_t>(at - group_.indices.begin()));
}

void PointGroup::sample(std::int64_t step, std::span<const SampleBuffer> samples) {
  const Numbers numbers{block().columns};
  schedule_.write_due(step, samples, numbers);
}

void PointGroup::check_finite(std::int64_t end) {
  for (int c = info_.first_state(); c < info_.count(); ++c) {
    const double* const values = column(c);
    for (std::size_t n = 0; n < neurons_; ++n)
      if (!std::isfinite(values[n]))
        throw NumericalFailure(
            {static_cast<double>(end) * run_.dt_ms, group_.population->name, group_.indices[n], ""},
            fmt::format("{}.{} is not a finite number", info_.name, info_.variables[c].name));
  }
}

void PointGroup::walk(StateWalk& state) {
  group_.recall_nodes();
  walk_numbers(state, group_, slots_of(group_), run_, no_voltage_);
  group_.forget_nodes();
  find_differing();
}

std::size_t PointGroup::bytes() const {
  return sizeof(*this) + group_.bytes() + bytes_of(no_voltage_) + bytes_of(spiked_);
}

std::vector<std::unique_ptr<PointGroup>> make_point_groups(RangePlan& plan, int lanes,
                                                           const RunConstants& run) {
  std::vector<std::unique_ptr<PointGroup>> groups;
  std::size_t first = 0;
  cut_into_groups(plan, {lanes}, [&](GroupLayout group) {
    const std::size_t neurons = group.indices.size();
    groups.push_back(std::make_unique<PointGroup>(std::move(group), first, run));
    first += neurons;
  });
  return groups;
}

}  // namespace hillock::simulator::cpu
