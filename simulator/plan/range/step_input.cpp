#include "simulator/plan/range/step_input.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd/isa.hpp"

namespace hillock::simulator {

std::size_t DrivenNeurons::place_of(std::size_t cell) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(cells, cell) - cells.begin());
}

void GaussianNoise::add(std::int64_t step, std::size_t first, std::span<double> injected) const {
  static const mechanisms::StepDrawLoops& loops = mechanisms::step_draw_loops(active_isa());
  if (period.is_over(step)) return;
  double normal[DrivenNeurons::most_at_once];
  neurons.each_piece(step, first, injected.size(), [&](std::size_t i, const auto& draws) {
    loops.normal(draws, normal);
    const std::size_t last = i + draws.count - 1;
    const bool are_side_by_side = neurons.cells[last] - neurons.cells[i] == last - i;
    if (are_side_by_side && period.is_one()) {
      const double one_mean = mean.one(), one_sd = sd.one();
      loops.add_scaled(mean.is_one() ? &one_mean : &mean.many()[i], !mean.is_one(),
                       sd.is_one() ? &one_sd : &sd.many()[i], !sd.is_one(), normal, draws.count,
                       &injected[neurons.cells[i] - first]);
      return;
    }
    for (std::size_t k = 0; k < draws.count; ++k)
      if (period.has(step, i + k))
        injected[neurons.cells[i + k] - first] += mean[i + k] + sd[i + k] * normal[k];
  });
}

double EventCounts::largest_weight() const {
  double largest = 0;
  for (std::size_t i = 0; i < (weight.is_one() ? 1 : weight.size()); ++i)
    largest = std::max(largest, std::abs(weight[i]));
  return largest;
}

void EventCounts::add(std::int64_t step, std::size_t first_cell, std::size_t count,
                      network::InputRing& inputs, const network::SumGrid& grid) const {
  static const mechanisms::StepDrawLoops& loops = mechanisms::step_draw_loops(active_isa());
  const network::InputRingView ring = inputs.view();
  if (period.is_over(step)) return;
  double counts[DrivenNeurons::most_at_once];
  neurons.each_piece(step, first_cell, count, [&](std::size_t i, const auto& draws) {
    const double one = expected.one();
    loops.poisson(draws, expected.is_one() ? &one : &expected.many()[i], !expected.is_one(),
                  counts);
    for (std::size_t k = 0; k < draws.count; ++k)
      if (counts[k] > 0 && period.has(step, i + k))
        ring.add(step, neurons.cells[i + k],
                 static_cast<long long>(counts[k]) * grid.multiple_of(weight[i + k]));
  });
}

double InjectedCurrent::at(double time_ms, std::size_t cell) const {
  if (!pulses.empty()) return mechanisms::pulse_current(pulses[cell], time_ms);
  return value_at(*waveforms[cell], time_ms);
}

void InjectedCurrent::add(double time_ms, std::size_t first, std::span<double> injected) const {
  const std::size_t end = neurons.place_of(first + injected.size());
  for (std::size_t i = neurons.place_of(first); i < end; ++i)
    injected[neurons.cells[i] - first] += at(time_ms, i);
}

double value_at(const models::Waveform& waveform, double time_ms) {
  const auto row = [&](int r) { return waveform[static_cast<std::size_t>(r)]; };
  return mechanisms::table_current(
      static_cast<int>(waveform.size()), [&](int r) { return row(r).first; },
      [&](int r) { return row(r).second; }, time_ms);
}

}  // namespace hillock::simulator
