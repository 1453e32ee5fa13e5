#include "network/propagation/input_ring.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace hillock::network {

void InputRing::reach(std::int64_t first, std::int64_t steps_ahead) {
  const auto wanted = std::bit_ceil(static_cast<std::size_t>(steps_ahead) + 1);
  if (wanted <= slots_) return;
  const std::size_t a_slot = channels_ * neurons_;
  decltype(sums_) longer(wanted * a_slot);
  for (std::size_t i = 0; i < slots_; ++i) {
    const std::size_t step = static_cast<std::size_t>(first) + i;
    std::copy_n(&sums_[(step & (slots_ - 1)) * a_slot], a_slot,
                &longer[(step & (wanted - 1)) * a_slot]);
  }
  slots_ = wanted;
  sums_ = std::move(longer);
}

}  // namespace hillock::network
