#pragma once
// The last spikes of the neurons that a projection leads to.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/plasticity/past_spikes.hpp"

namespace hillock::simulator {

class TargetSpikes {
 public:
  explicit TargetSpikes(std::size_t neurons) : spikes_(neurons * slots_), counts_(neurons) {}

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

  std::size_t neurons() const { return counts_.size(); }
  PastSpikesView view() { return {spikes_.data(), counts_.data(), slots_}; }
  std::size_t bytes() const;

 private:
  unsigned slots_ = 16;  ///< a power of 2
  std::vector<PastSpike> spikes_;
  std::vector<unsigned> counts_;
};

}  // namespace hillock::simulator
