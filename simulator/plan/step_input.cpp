#include "simulator/plan/step_input.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/runtime/step_draws.hpp"

namespace hillock::simulator {

std::size_t DrivenNeurons::place_of(std::size_t cell) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(cells, cell) - cells.begin());
}

double DrivenNeurons::uniform(std::size_t i, std::int64_t step) const {
  return mechanisms::step_uniform(seed, stimulus, ids[i], static_cast<std::uint64_t>(step));
}

void GaussianNoise::add(std::int64_t step, std::size_t first, std::span<double> injected) const {
  neurons.each_of(first, injected.size(), [&](std::size_t i) {
    const double draw = mechanisms::normal_quantile(neurons.uniform(i, step));
    injected[neurons.cells[i] - first] += mean[i] + sd[i] * draw;
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
  const network::InputRingView ring = inputs.view();
  neurons.each_of(first_cell, count, [&](std::size_t i) {
    if (step < first[i] || step >= last[i]) return;
    const double events = mechanisms::poisson_quantile(expected[i], neurons.uniform(i, step));
    if (events > 0)
      ring.add(step, neurons.cells[i],
               static_cast<long long>(events) * grid.multiple_of(weight[i]));
  });
}

}  // namespace hillock::simulator
