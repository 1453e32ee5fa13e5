#include "simulator/plasticity/spike_rings.hpp"

#include <utility>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator {

void SpikeRings::grow() {
  std::vector<PastSpike> more(spikes_.size() * 2);
  const PastSpikesView from = view(), to{more.data(), counts_.data(), slots_ * 2};
  for (unsigned n = 0; n < counts_.size(); ++n)
    for (unsigned number = from.oldest(n); number < from.count(n); ++number)
      to.at(n, number) = from.at(n, number);
  slots_ *= 2;
  spikes_ = std::move(more);
}

std::size_t SpikeRings::bytes() const {
  return bytes_of(spikes_) + bytes_of(counts_);
}

}  // namespace hillock::simulator
