#pragma once
// The synapses of one projection as kernels have them, on host and device, and what one of them
// does with a spike. Includes no standard header, so that NVRTC can compile it.

#include "core/targets.hpp"
#include "network/propagation/input_ring_view.hpp"

namespace hillock::network {

/// Synapses sorted by source. Word: the shortest one that holds a target and a delay.
template <class Word>
struct SynapseView {
  const Word* words = nullptr;   ///< [synapse] target, and above it the delay beyond the shortest
  const int* weights = nullptr;  ///< [synapse], in multiples of 2^shift; null: all have one_weight
  int one_weight = 0;
  int shift = 0;
  int target_bits = 0;
  Word target_mask = 0;
  long long shortest_steps = 0;

  HILLOCK_FUNCTION long long weight(unsigned synapse) const {
    return static_cast<long long>(weights ? weights[synapse] : one_weight) << shift;
  }
  /// In steps.
  HILLOCK_FUNCTION long long delay(unsigned synapse) const {
    return shortest_steps + static_cast<long long>(words[synapse] >> target_bits);
  }
  /// Brings a spike of step `step` to a synapse's target.
  HILLOCK_FUNCTION void pass(unsigned synapse, long long step, const InputRingView& ring) const {
    ring.add(step + delay(synapse), static_cast<unsigned>(words[synapse] & target_mask),
             weight(synapse));
  }
};

}  // namespace hillock::network
