#pragma once
// What is on its way to neurons that add up their input: sums by the step they arrive before.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simd/lane_array.hpp"
#include "network/propagation/input_ring_view.hpp"

namespace hillock::network {

class InputRing {
 public:
  /// channels: 1, or 2 where positive and negative weights are added up apart.
  InputRing(std::size_t neurons, std::size_t channels)
      : neurons_((neurons + in_a_line - 1) / in_a_line * in_a_line), channels_(channels) {}

  /// Before anything is on its way: nothing will be further ahead than so many steps.
  void reach(std::int64_t steps_ahead) {
    slots_ = std::bit_ceil(static_cast<std::size_t>(steps_ahead) + 1);
    sums_.resize(slots_ * channels_ * neurons_);
  }

  InputRingView view() {
    return {sums_.data(), static_cast<long long>(slots_) - 1,
            static_cast<unsigned long long>(neurons_), static_cast<unsigned>(channels_)};
  }
  /// The sums that arrive before a step, [neuron], on a cache line's border and so many that they
  /// fill lines. Whoever takes them leaves zeros.
  Sum* sums(std::int64_t step, std::size_t channel) {
    const std::size_t slot = static_cast<std::size_t>(step) & (slots_ - 1);
    return sums_.data() + (slot * channels_ + channel) * neurons_;
  }
  std::size_t slots() const { return slots_; }
  std::size_t bytes() const { return sums_.capacity() * sizeof(Sum); }

 private:
  static constexpr std::size_t in_a_line = 64 / sizeof(Sum);

  std::size_t neurons_, channels_;
  std::size_t slots_ = 0;                           ///< a power of 2
  std::vector<Sum, CacheLineAllocator<Sum>> sums_;  ///< [slot][channel][neuron]
};

}  // namespace hillock::network
