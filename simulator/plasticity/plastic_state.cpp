#include "simulator/plasticity/plastic_state.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hillock::simulator {

PlasticState::PlasticState(std::uint32_t projection, PlasticSynapses& synapses, SpikeRings& targets,
                           const StdpRule& rule)
    : projection_(projection),
      synapses_(synapses),
      targets_(targets),
      rule_(rule),
      order_(synapses.by_target(targets.neurons())),
      sources_(synapses.source_count),
      is_known_(synapses.source_count) {}

void PlasticState::walk(StateWalk& state, std::size_t first, std::int64_t now,
                        const LastArrived& last_arrived) {
  const auto name_of = [&](const char* what) {
    return fmt::format("projection {}/{}", projection_, what);
  };
  const auto each = [&](const char* what, const auto& body) {
    state.column(name_of(what), [&](std::size_t cell) {
      for (std::uint32_t i = order_.first[first + cell]; i < order_.first[first + cell + 1]; ++i)
        body(i);
    });
  };
  std::vector<PastSpike> last(synapses_.size());
  each("weight", [&](std::uint32_t i) { state.number(synapses_.weights[order_.synapses[i]]); });
  each("source_step", [&](std::uint32_t i) {
    if (state.is_saving())
      last[i] = last_arrived(order_.sources[i], synapses_.delay(order_.synapses[i]));
    state.count(last[i].step);
  });
  each("source_trace", [&](std::uint32_t i) {
    state.number(last[i].before);
    if (state.is_saving()) return;
    PastSpike& of_source = sources_[order_.sources[i]];
    if (!is_known_[order_.sources[i]] || last[i].step < of_source.step) of_source = last[i];
    is_known_[order_.sources[i]] = true;
  });
  state.column(name_of("target_spikes"), [&](std::size_t cell) {
    walk_target_spikes(state, static_cast<std::uint32_t>(first + cell), now);
  });
}

/// In steps; 0 without connections.
std::int64_t PlasticState::longest_onto(std::size_t neuron) const {
  std::int64_t longest = 0;
  for (std::uint32_t i = order_.first[neuron]; i < order_.first[neuron + 1]; ++i)
    longest = std::max(longest, synapses_.delay(order_.synapses[i]));
  return longest;
}

/// Of a neuron with connections those of its spikes that they still need.
void PlasticState::walk_target_spikes(StateWalk& state, std::uint32_t neuron, std::int64_t now) {
  const auto walk_one = [&](PastSpike& spike) {
    state.count(spike.step);
    state.number(spike.before);
  };
  if (!state.is_saving()) {
    while (state.left() > 0) {
      PastSpike spike;
      walk_one(spike);
      if (targets_.view().count(neuron) == targets_.view().slots) targets_.grow();
      targets_.add(neuron, spike);
    }
    return;
  }
  const std::int64_t longest = longest_onto(neuron);
  if (longest == 0) return;
  const PastSpikesView spikes = targets_.view();
  const unsigned settled = spikes.count_until(neuron, rule_.settled_until(now, longest));
  for (unsigned k = std::max(settled, spikes.oldest(neuron) + 1) - 1; k < spikes.count(neuron); ++k)
    walk_one(spikes.at(neuron, k));
}

}  // namespace hillock::simulator
