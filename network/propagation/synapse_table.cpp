#include "network/propagation/synapse_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "network/events.hpp"

namespace hillock::network {

namespace {

/// The weight of all connections, if they have one.
std::optional<double> one_weight_of(std::span<const SynapsePart> parts) {
  std::optional<double> one;
  for (const SynapsePart& part : parts) {
    const FanIn& connections = part.from->connections;
    if (connections.size() == 0) continue;
    if (!one) one = connections.weight(0);
    if (!connections.has_one_weight() || connections.weight(0) != *one) return std::nullopt;
  }
  return one.value_or(0);
}

}  // namespace

SynapseTable::SynapseTable(std::span<const SynapsePart> parts, std::uint64_t neurons,
                           const models::PointStep& step, const SumGrid& grid,
                           double largest_weight, int least_bits, const Runner& run)
    : first_source_(parts.front().from->first_source),
      source_count_(parts.front().from->source_count),
      index_(joined_index(parts, run)),
      shift_(grid.shift_for(largest_weight)),
      target_bits_(std::max(1, static_cast<int>(std::bit_width(neurons - 1)))),
      run_steps_(step.run_steps) {
  find_delays(parts, step);
  const auto more = static_cast<std::uint64_t>(longest_steps_ - shortest_steps_);
  const int bits = std::max(least_bits, target_bits_ + static_cast<int>(std::bit_width(more)));
  if (bits <= 16)
    pack<std::uint16_t>(parts, step, grid, run);
  else if (bits <= 32)
    pack<std::uint32_t>(parts, step, grid, run);
  else
    pack<unsigned long long>(parts, step, grid, run);
}

SourceIndex joined_index(std::span<const SynapsePart> parts, const Runner& run) {
  if (parts.size() == 1) return parts.front().from->connections.index();
  std::vector<std::uint32_t> first(parts.front().from->source_count + 1, 0);
  const Pieces pieces(0, parts.front().from->source_count);
  run(pieces.count(), [&](std::size_t piece) {
    for (const SynapsePart& part : parts)
      for (std::uint64_t s = pieces.begin(piece); s < pieces.end(piece); ++s) {
        const Entries entries = part.from->connections.of(s);
        first[s + 1] += entries.end - entries.begin;
      }
  });
  std::uint64_t all = 0;
  for (std::uint32_t& begin : first) {
    all += begin;
    if (all > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("one rank has more than 2^32 connections of one projection");
    begin = static_cast<std::uint32_t>(all);
  }
  return SourceIndex(std::move(first));
}

void SynapseTable::find_delays(std::span<const SynapsePart> parts, const models::PointStep& step) {
  shortest_steps_ = std::numeric_limits<std::int64_t>::max();
  longest_steps_ = run_steps_;
  for (const SynapsePart& part : parts) {
    if (part.from->connections.size() == 0) continue;
    const auto [shortest_ms, longest_ms] = part.from->connections.delay_bounds_ms();
    shortest_steps_ = std::min(shortest_steps_, delay_steps(shortest_ms, step));
    longest_steps_ = std::max(longest_steps_, delay_steps(longest_ms, step));
  }
  shortest_steps_ = std::min(shortest_steps_, longest_steps_);
}

template <class Word>
void SynapseTable::pack(std::span<const SynapsePart> parts, const models::PointStep& step,
                        const SumGrid& grid, const Runner& run) {
  std::size_t size = 0;
  for (const SynapsePart& part : parts) size += part.from->connections.size();
  const double spacing = std::ldexp(grid.spacing(), shift_);
  const std::optional<double> one_weight = one_weight_of(parts);
  UnsetVector<Word> words(size);
  UnsetVector<std::int32_t> weights(one_weight ? 0 : size);
  const Pieces pieces(0, source_count_);
  run(pieces.count(), [&](std::size_t piece) {
    for (std::uint64_t s = pieces.begin(piece); s < pieces.end(piece); ++s) {
      std::size_t synapse = index_.of(s).begin;
      for (const SynapsePart& part : parts) {
        const FanIn& connections = part.from->connections;
        const Entries entries = connections.of(s);
        for (std::uint32_t e = entries.begin; e < entries.end; ++e, ++synapse) {
          const std::int64_t beyond = delay_steps(connections.delay_ms(e), step) - shortest_steps_;
          words[synapse] = static_cast<Word>(
              static_cast<unsigned long long>(part.first_neuron + connections.instance(e)) |
              static_cast<unsigned long long>(beyond) << target_bits_);
          if (!one_weight) weights[synapse] = multiple_of_spacing(connections.weight(e), spacing);
        }
      }
    }
  });
  words_ = std::move(words);
  weights_ = one_weight ? OneOrManyOf<std::int32_t>(size, multiple_of_spacing(*one_weight, spacing))
                        : OneOrManyOf<std::int32_t>(std::move(weights));
}

std::uint32_t SynapseTable::most_of_a_source() const {
  std::uint32_t most = 0;
  index_.each_source([&](std::uint64_t source) {
    const Entries entries = index_.of(source);
    most = std::max(most, entries.end - entries.begin);
  });
  return most;
}

std::vector<std::uint32_t> SynapseTable::put_soon_first(std::int64_t delay, const Runner& run) {
  std::vector<std::uint32_t> others(source_count_);
  const Pieces pieces(0, source_count_);
  const auto put = [&](auto& words) {
    const auto is_soon = [&](std::size_t e) {
      return shortest_steps_ + static_cast<std::int64_t>(words[e] >> target_bits_) <= delay;
    };
    run(pieces.count(), [&](std::size_t piece) {
      for (std::uint64_t s = pieces.begin(piece); s < pieces.end(piece); ++s) {
        auto [begin, end] = index_.of(s);
        for (;;) {
          while (begin < end && is_soon(begin)) ++begin;
          while (begin < end && !is_soon(end - 1)) --end;
          if (begin == end) break;
          std::swap(words[begin], words[end - 1]);
          weights_.swap(begin, end - 1);
        }
        others[s] = begin;
      }
    });
  };
  std::visit(put, words_);
  return others;
}

namespace {

/// Brings a spike to all its synapses. What is the same for all of them is known to the compiler.
template <bool one_weight, bool one_delay, bool two_channels, class View>
void pass_to_all(const View& view, const Entries& entries, std::int64_t step,
                 const InputRingView& ring) {
  const auto* const words = view.words;
  const int* const weights = view.weights;
  const auto target_mask = view.target_mask;
  const int shift = view.shift, target_bits = view.target_bits;
  const Sum known = static_cast<Sum>(view.one_weight) << shift;
  const bool is_second = one_weight && two_channels && known < 0;
  Sum* const row = ring.at(view.own_step(step + view.shortest_steps), is_second, 0);
  const auto further = static_cast<std::ptrdiff_t>(ring.neurons);
#pragma GCC unroll 4
  for (std::uint32_t e = entries.begin; e < entries.end; ++e) {
    const Sum weight = one_weight ? known : static_cast<Sum>(weights[e]) << shift;
    Sum* sums = row;
    if (!one_delay) {
      const std::int64_t delay = view.shortest_steps + (words[e] >> target_bits);
      sums = ring.at(view.own_step(step + delay), is_second, 0);
    }
    if (two_channels && !one_weight) sums += weight < 0 ? further : 0;
    sums[one_delay ? words[e] : words[e] & target_mask] += weight;
  }
}

/// What is soon asked for comes into the cache meanwhile: so many lines of it.
template <class Number>
void prefetch(const Number* numbers, const Entries& entries) {
  constexpr std::uint32_t a_line = 64 / sizeof(Number), most = 64 * a_line;
  const std::uint32_t end = std::min(entries.end, entries.begin + most);
  for (std::uint32_t e = entries.begin; e < end; e += a_line) __builtin_prefetch(&numbers[e]);
}

/// Calls body(std::bool_constant…) with what holds.
template <class Body>
void knowing(bool a, bool b, bool c, const Body& body) {
  const auto know = [](bool holds, const auto& next) {
    return holds ? next(std::true_type()) : next(std::false_type());
  };
  know(a, [&](auto known_a) {
    know(b, [&](auto known_b) { know(c, [&](auto known_c) { body(known_a, known_b, known_c); }); });
  });
}

}  // namespace

void SynapseTable::pass(std::span<const CellSpike> spikes, double dt_ms, std::int64_t first_step,
                        const InputRingView& ring) const {
  constexpr std::size_t ahead = 8, soon = 2;
  const auto pass_each = [&](const auto& view, const auto& to_all) {
    for (std::size_t i = 0; i < spikes.size(); ++i) {
      if (i + ahead < spikes.size())
        index_.prefetch_of(spikes[i + ahead].cell.value - first_source_);
      if (i + soon < spikes.size()) {
        const Entries next = entries_of(spikes[i + soon].cell);
        prefetch(view.words, next);
        if (view.weights) prefetch(view.weights, next);
      }
      const Entries entries = entries_of(spikes[i].cell);
      if (entries.begin == entries.end) continue;
      const std::int64_t step = arrival_step(spikes[i].time_ms, dt_ms);
      if (view.own_step(step + shortest_steps_) >= first_step) {
        to_all(entries, step);
        continue;
      }
      for (std::uint32_t e = entries.begin; e < entries.end; ++e)
        if (view.own_step(step + view.delay(e)) >= first_step) view.pass(e, step, ring);
    }
  };
  with_view([&](const auto& view) {
    knowing(view.weights == nullptr, longest_steps_ == shortest_steps_, ring.channels > 1,
            [&](auto one_weight, auto one_delay, auto two_channels) {
              pass_each(view, [&](const Entries& entries, std::int64_t step) {
                pass_to_all<one_weight(), one_delay(), two_channels()>(view, entries, step, ring);
              });
            });
  });
}

std::size_t SynapseTable::bytes() const {
  const std::size_t words =
      std::visit([](const auto& some) { return some.capacity() * sizeof(some[0]); }, words_);
  return index_.bytes() + words + weights_.bytes();
}

}  // namespace hillock::network
