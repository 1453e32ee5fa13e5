#pragma once
// Past spikes of neurons with the trace that each found, as kernels have them, on host and device.
// Includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::simulator {

/// A spike, and what the trace of the spikes before it had come to by then.
struct PastSpike {
  /// No spike: earlier than any other, with room to subtract delays from it.
  static constexpr long long never = -(1ll << 62);

  long long step = never;
  double before = 0;

  HILLOCK_FUNCTION bool is_there() const { return step != never; }
};

/// The last spikes of each neuron, in rings of `slots` places.
struct PastSpikesView {
  PastSpike* spikes = nullptr;  ///< [neuron][number & (slots - 1)]
  unsigned* counts = nullptr;   ///< [neuron] of all its spikes so far
  unsigned slots = 0;           ///< a power of 2

  HILLOCK_FUNCTION PastSpike& at(unsigned neuron, unsigned number) const {
    return spikes[static_cast<unsigned long long>(neuron) * slots + (number & (slots - 1))];
  }
  /// Of its spikes those with numbers [oldest, count) are there.
  HILLOCK_FUNCTION unsigned count(unsigned neuron) const { return counts[neuron]; }
  HILLOCK_FUNCTION unsigned oldest(unsigned neuron) const {
    return counts[neuron] > slots ? counts[neuron] - slots : 0;
  }
  /// How many of its spikes have a step up to this one.
  HILLOCK_FUNCTION unsigned count_until(unsigned neuron, long long step) const {
    unsigned number = count(neuron);
    const unsigned least = oldest(neuron);
    while (number > least && at(neuron, number - 1).step > step) --number;
    return number;
  }
};

}  // namespace hillock::simulator
