#pragma once
// An input ring as kernels have it, on host and device. Includes no standard header, so that NVRTC
// can compile it.

#include "core/simd/targets.hpp"

namespace hillock::network {

/// A sum of weights, in multiples of its grid's spacing (SumGrid).
using Sum = long long;

struct InputRingView {
  Sum* sums = nullptr;  ///< [slot][channel][neuron]
  long long mask = 0;   ///< slots - 1, of steps
  unsigned long long neurons = 0;
  unsigned channels = 1;

  /// The sum of a channel that arrives before `step`.
  HILLOCK_FUNCTION Sum* at(long long step, unsigned channel, unsigned target) const {
    const auto slot = static_cast<unsigned long long>(step & mask);
    return sums + (slot * channels + channel) * neurons + target;
  }
  /// Adds what arrives before `step`: where there are two channels, negative weights to the second.
  HILLOCK_FUNCTION void add(long long step, unsigned target, long long weight) const {
    add_to(at(step, channels > 1 && weight < 0, target), weight);
  }

 private:
  HILLOCK_FUNCTION static void add_to(Sum* sum, long long weight) {
#if defined(__CUDA_ARCH__)
    // What atomicAdd() comes to where it is not known to the compiler whose memory this is.
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;"
                 :
                 : "l"(__cvta_generic_to_global(sum)), "l"(weight)
                 : "memory");
#else
    *sum += weight;
#endif
  }
};

}  // namespace hillock::network
