#pragma once
// The connections of one projection onto neurons that add up their input: 2, 4 or 8 bytes
// a connection, and 4 more where weights differ.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "models/network.hpp"
#include "network/inbox.hpp"
#include "network/propagation/sum_grid.hpp"
#include "network/propagation/synapse_view.hpp"
#include "network/propagation/synapse_word.hpp"
#include "network/runner.hpp"
#include "network/source_index.hpp"
#include "network/spikes.hpp"

namespace hillock::network {

/// A delay in the run's steps (network/propagation/synapse_word.hpp).
inline std::int64_t delay_steps(double delay_ms, const models::PointStep& step) {
  return delay_steps(delay_ms, step.ms, step.run_steps);
}

/// Connections of one projection onto some neurons, whose instances are counted from
/// `first_neuron` on.
struct SynapsePart {
  const FanInTable* from = nullptr;
  std::uint32_t first_neuron = 0;
};

/// Where each source's synapses lie in a table of all the parts' connections, which of one source
/// come part by part. Throws std::length_error beyond 2^32 connections.
SourceIndex joined_index(std::span<const SynapsePart> parts, const Runner& run = one_by_one);

class SynapseTable {
 public:
  /// parts: of one projection, at least one. neurons: there are so many. step: theirs.
  /// largest_weight: of the whole projection, an absolute value. least_bits: of a word; devices
  /// have none of 16. Throws std::length_error beyond 2^32 connections.
  SynapseTable(std::span<const SynapsePart> parts, std::uint64_t neurons,
               const models::PointStep& step, const SumGrid& grid, double largest_weight,
               int least_bits, const Runner& run);

  /// Brings the spikes of its sources to their targets, but what arrives before their first_step.
  /// spikes: of any cells. dt_ms: the run's.
  void pass(std::span<const CellSpike> spikes, double dt_ms, std::int64_t first_step,
            const InputRingView& ring) const;

  /// The cell that is source 0, and how many sources there may be.
  std::uint64_t first_source() const { return first_source_; }
  std::uint64_t source_count() const { return source_count_; }
  const SourceIndex& index() const { return index_; }
  std::size_t size() const { return weights_.size(); }
  /// [source] where its synapses begin, and where the last one's end.
  std::vector<std::uint32_t> first_of_sources() const { return index_.dense(source_count_); }
  std::uint32_t most_of_a_source() const;
  /// Puts those of every source first whose delay is that or shorter. Gives [source] where the
  /// others begin.
  std::vector<std::uint32_t> put_soon_first(std::int64_t delay, const Runner& run);
  /// In the run's steps, as delay_steps().
  std::int64_t shortest_steps() const { return shortest_steps_; }
  /// In the targets' steps, from the one during which a spike comes.
  std::int64_t longest_steps() const { return (longest_steps_ + run_steps_ - 1) / run_steps_; }
  /// Calls body(SynapseView) with the view of the words that there are.
  template <class Body>
  void with_view(const Body& body) const {
    std::visit([&](const auto& words) { body(view_of(words)); }, words_);
  }
  std::size_t bytes() const;

 private:
  /// None where the cell is no source.
  Entries entries_of(CellId cell) const {
    const std::uint64_t source = cell.value - first_source_;  // huge where before it
    return source < source_count_ ? index_.of(source) : Entries{};
  }
  template <class Word>
  SynapseView<Word> view_of(const UnsetVector<Word>& words) const {
    return {words.data(),    weights_.is_one() ? nullptr : weights_.many().data(),
            weights_.one(),  shift_,
            target_bits_,    static_cast<Word>((Word{1} << target_bits_) - 1),
            shortest_steps_, static_cast<unsigned>(run_steps_)};
  }
  void find_delays(std::span<const SynapsePart> parts, const models::PointStep& step);
  template <class Word>
  void pack(std::span<const SynapsePart> parts, const models::PointStep& step, const SumGrid& grid,
            const Runner& run);

  std::uint64_t first_source_, source_count_;
  SourceIndex index_;
  std::variant<UnsetVector<std::uint16_t>, UnsetVector<std::uint32_t>,
               UnsetVector<unsigned long long>>
      words_;
  OneOrManyOf<std::int32_t> weights_;
  int shift_ = 0;
  int target_bits_ = 0;
  std::int64_t run_steps_ = 1;                           ///< of a step of the targets
  std::int64_t shortest_steps_ = 1, longest_steps_ = 1;  ///< the run's
};

}  // namespace hillock::network
