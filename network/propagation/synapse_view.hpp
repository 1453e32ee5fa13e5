#pragma once
// The synapses of one projection as kernels have them, on host and device, and what one of them
// does with a spike. Includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"
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
  unsigned run_steps = 1;  ///< a step of the targets takes so many of the run's

  HILLOCK_FUNCTION long long weight(unsigned synapse) const {
    return static_cast<long long>(weights ? weights[synapse] : one_weight) << shift;
  }
  /// In the run's steps, as delay_steps().
  HILLOCK_FUNCTION long long delay(unsigned synapse) const {
    return shortest_steps + static_cast<long long>(words[synapse] >> target_bits);
  }
  /// How many of the targets' steps have ended at a step of the run.
  HILLOCK_FUNCTION long long own_step(long long step) const {
    return run_steps == 1 ? step : step / run_steps;
  }
  /// Brings a spike of step `step` to a synapse's target.
  HILLOCK_FUNCTION void pass(unsigned synapse, long long step, const InputRingView& ring) const {
    ring.add(own_step(step + delay(synapse)), static_cast<unsigned>(words[synapse] & target_mask),
             weight(synapse));
  }
};

}  // namespace hillock::network
