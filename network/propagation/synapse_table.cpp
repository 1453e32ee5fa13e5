#include "network/propagation/synapse_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "network/events.hpp"

namespace hillock::network {

std::int64_t delay_steps(double delay_ms, double dt_ms) {
  return std::max<std::int64_t>(1, arrival_step(delay_ms, dt_ms));
}

SynapseTable::SynapseTable(const FanInTable& from, std::uint64_t neurons, double dt_ms,
                           const SumGrid& grid, double largest_weight)
    : first_source_(from.first_source),
      source_count_(from.source_count),
      index_(from.connections.index()),
      shift_(grid.shift_for(largest_weight)),
      target_bits_(std::max(1, static_cast<int>(std::bit_width(neurons - 1)))) {
  const FanIn& connections = from.connections;
  const auto multiple = [&](double weight) {
    return static_cast<std::int32_t>(std::llrint(std::ldexp(weight / grid.spacing(), -shift_)));
  };
  if (connections.has_one_weight()) {
    weights_ = {connections.size(), connections.size() > 0 ? multiple(connections.weight(0)) : 0};
  } else {
    weights_.reserve(connections.size());
    for (std::size_t e = 0; e < connections.size(); ++e)
      weights_.push_back(multiple(connections.weight(e)));
  }
  const auto [shortest_ms, longest_ms] = connections.delay_bounds_ms();
  shortest_steps_ = delay_steps(shortest_ms, dt_ms);
  longest_steps_ = delay_steps(longest_ms, dt_ms);
  const auto more = static_cast<std::uint64_t>(longest_steps_ - shortest_steps_);
  if (target_bits_ + static_cast<int>(std::bit_width(more)) <= 32)
    words_ = pack<std::uint32_t>(connections, dt_ms);
  else
    words_ = pack<unsigned long long>(connections, dt_ms);
}

template <class Word>
std::vector<Word> SynapseTable::pack(const FanIn& connections, double dt_ms) const {
  std::vector<Word> words(connections.size());
  for (std::size_t e = 0; e < words.size(); ++e) {
    words[e] = connections.instance(e);
    if (connections.has_one_delay()) continue;
    const std::int64_t beyond = delay_steps(connections.delay_ms(e), dt_ms) - shortest_steps_;
    words[e] |= static_cast<Word>(beyond) << target_bits_;
  }
  return words;
}

void SynapseTable::pass(std::span<const CellSpike> spikes, double dt_ms, std::int64_t first_step,
                        const InputRingView& ring) const {
  constexpr std::size_t ahead = 8;
  with_view([&](const auto& view) {
    for (std::size_t i = 0; i < spikes.size(); ++i) {
      if (i + ahead < spikes.size())
        index_.prefetch_of(spikes[i + ahead].cell.value - first_source_);
      const std::uint64_t source = spikes[i].cell.value - first_source_;  // huge where before it
      if (source >= source_count_) continue;
      const Entries entries = index_.of(source);
      const std::int64_t step = arrival_step(spikes[i].time_ms, dt_ms);
      const bool all_are_late = step + shortest_steps_ >= first_step;
      for (std::uint32_t e = entries.begin; e < entries.end; ++e)
        if (all_are_late || step + view.delay(e) >= first_step) view.pass(e, step, ring);
    }
  });
}

std::size_t SynapseTable::bytes() const {
  const std::size_t words =
      std::visit([](const auto& some) { return some.capacity() * sizeof(some[0]); }, words_);
  return index_.bytes() + words + weights_.bytes();
}

}  // namespace hillock::network
