#pragma once
// The last spikes of some neurons, in rings.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/plasticity/past_spikes.hpp"

namespace hillock::simulator {

class SpikeRings {
 public:
  /// slots: of each neuron, a power of 2.
  explicit SpikeRings(std::size_t neurons, unsigned slots = 16)
      : slots_(slots), spikes_(neurons * slots), counts_(neurons) {}

  /// Later than all it has.
  void add(std::uint32_t neuron, const PastSpike& spike) {
    view().at(neuron, counts_[neuron]) = spike;
    ++counts_[neuron];
  }
  /// No spike where it has none.
  PastSpike last(std::uint32_t neuron) {
    return counts_[neuron] > 0 ? view().at(neuron, counts_[neuron] - 1) : PastSpike{};
  }
  /// Whether the next one would take the place of one that is needed: those after `step` are, and
  /// the one before these.
  bool is_full(std::uint32_t neuron, std::int64_t step) {
    return counts_[neuron] >= slots_ && view().at(neuron, counts_[neuron] - slots_ + 1).step > step;
  }
  /// Makes room for twice as many.
  void grow();

  /// As a view has them.
  std::span<PastSpike> spikes() { return spikes_; }
  std::span<unsigned> counts() { return counts_; }
  std::size_t neurons() const { return counts_.size(); }
  PastSpikesView view() { return {spikes_.data(), counts_.data(), slots_}; }
  std::size_t bytes() const;

 private:
  unsigned slots_;
  std::vector<PastSpike> spikes_;
  std::vector<unsigned> counts_;
};

}  // namespace hillock::simulator
