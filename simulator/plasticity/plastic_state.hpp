#pragma once
// What changes of a projection's plastic synapses, saved and restored by the neurons they lead to,
// whichever backend has them.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/state/state_walk.hpp"
#include "simulator/plasticity/plastic_synapses.hpp"
#include "simulator/plasticity/spike_rings.hpp"

namespace hillock::simulator {

class PlasticState {
 public:
  /// projection: its number in the model. targets: of all neurons. Everything given must outlive
  /// this.
  PlasticState(std::uint32_t projection, PlasticSynapses& synapses, SpikeRings& targets,
               const StdpRule& rule);

  /// The last spike of a source that has arrived through a synapse of that delay.
  using LastArrived = std::function<PastSpike(std::uint64_t source, std::int64_t delay)>;
  /// Saves what there is before step `now`, for which weights are settled, or restores it, of
  /// neurons from `first` on, which `state` has begun. What is restored has no target's spikes
  /// before.
  void walk(StateWalk& state, std::size_t first, std::int64_t now, const LastArrived& last_arrived);
  /// [source] after all was restored: its last spike that has arrived through all its synapses;
  /// those since then are received again.
  const std::vector<PastSpike>& sources() const { return sources_; }

 private:
  std::int64_t longest_onto(std::size_t neuron) const;
  void walk_target_spikes(StateWalk& state, std::uint32_t neuron, std::int64_t now);

  std::uint32_t projection_;
  PlasticSynapses& synapses_;
  SpikeRings& targets_;
  const StdpRule& rule_;
  PlasticSynapses::ByTarget order_;
  std::vector<PastSpike> sources_;
  std::vector<bool> is_known_;  ///< [source]
};

}  // namespace hillock::simulator
