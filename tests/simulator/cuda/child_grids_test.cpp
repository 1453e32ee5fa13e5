// The grids that kernels start for spikes, on the host: however many of them may wait, even when
// every neuron spikes at once, each synapse hears of each spike once.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/random/random.hpp"
#include "simulator/backends/host/point_child_grids.hpp"

namespace hillock::simulator::on_device {
namespace {

using on_host::ChildGridQueue;

constexpr unsigned neurons = 300;  // of each of two populations, more than a block has threads
constexpr unsigned slots = 64;
constexpr int target_bits = 9;
constexpr unsigned longest_steps = 50;

/// Connections of a population onto both, in words of 4 or 8 bytes.
struct Connections {
  std::vector<unsigned> first = {0}, words, targets, delays;
  std::vector<unsigned long long> long_words;
  std::vector<int> weights;
  unsigned long long first_source = 0;

  /// Some sources have none, some more than a piece.
  explicit Connections(unsigned long long first_cell) : first_source(first_cell) {
    RandomStream draws(7, Purpose::stimulus, {first_cell});
    for (unsigned source = 0; source < neurons; ++source) {
      const std::uint64_t count = source % 5 == 0 ? 0 : 1 + draws.below(2 * synapses_of_piece);
      for (std::uint64_t i = 0; i < count; ++i) {
        targets.push_back(static_cast<unsigned>(draws.below(neurons)));
        delays.push_back(static_cast<unsigned>(1 + draws.below(longest_steps)));
        words.push_back((delays.back() - 1) << target_bits | targets.back());
        long_words.push_back(words.back());
        weights.push_back(static_cast<int>(draws.below(21)) - 10);
      }
      first.push_back(static_cast<unsigned>(words.size()));
    }
  }

  PointTable table(bool is_long, network::InputRingView ring) const {
    PointTable table{};
    const auto view = [&](auto& some, const auto* from) {
      some = {from, weights.data(), 0, 2, target_bits, (1u << target_bits) - 1, 1};
    };
    if (is_long)
      view(table.long_synapses, long_words.data());
    else
      view(table.synapses, words.data());
    table.inputs = ring;
    table.first = first.data();
    table.first_source = first_source;
    table.source_count = neurons;
    return table;
  }
};

/// Both populations project onto one of two channels, one of them twice.
class SpikingNetwork {
 public:
  SpikingNetwork() {
    const network::InputRingView ring{sums_.data(), slots - 1, neurons, 2};
    tables_ = {of_first_.table(false, ring), of_second_.table(true, ring),
               of_second_.table(false, ring)};
    pieces_ = {{0, 0}, {0, 1}, {1, 0}, {2, 0}, {1, 1}, {2, 1}};
    sources_.resize(2);
    sources_[0] = {0, 0, 2, 1, false, nullptr, nullptr, neurons, 0};
    sources_[1] = {neurons, 2, 4, 2, false, nullptr, nullptr, neurons, 0};
    network_.tables = tables_.data();
    network_.pieces = pieces_.data();
    network_.sources = sources_.data();
    network_.most_pieces = 4;
    network_.log.count = &count_;
    network_.log.begin = begin_;
  }

  /// Spikes of cells in step 5 of an epoch from step 100 on, after some that are known already.
  std::vector<network::Sum> pass(const std::vector<unsigned>& cells, bool by_block,
                                 ChildGridQueue& grids) {
    std::ranges::fill(sums_, 0);
    spikes_.assign(17, {0, 0, 4});
    for (const unsigned cell : cells) spikes_.push_back({cell, cell / neurons, 5});
    network_.log.spikes = spikes_.data();
    count_ = static_cast<unsigned>(spikes_.size());
    begin_[0] = 1;
    begin_[1] = 17;
    on_host::pass_by_grids(network_, 105, 100, by_block, grids);
    EXPECT_EQ(begin_[0], count_);
    return sums_;
  }

  std::vector<network::Sum> expected(const std::vector<unsigned>& cells) const {
    std::vector<network::Sum> sums(sums_.size());
    for (const unsigned cell : cells) {
      const Connections& from = cell < neurons ? of_first_ : of_second_;
      const unsigned source = cell % neurons;
      for (unsigned s = from.first[source]; s < from.first[source + 1]; ++s) {
        const unsigned slot = (105 + from.delays[s]) % slots, channel = from.weights[s] < 0;
        sums[(slot * 2 + channel) * neurons + from.targets[s]] +=
            from.weights[s] * 4 * (cell < neurons ? 1 : 2);
      }
    }
    return sums;
  }

 private:
  const Connections of_first_{0}, of_second_{neurons};
  std::vector<network::Sum> sums_ = std::vector<network::Sum>(std::size_t{slots} * 2 * neurons);
  std::vector<PointTable> tables_;
  std::vector<PointPiece> pieces_;
  std::vector<PointSource> sources_;
  std::vector<PointSpike> spikes_;
  unsigned count_ = 0, begin_[2] = {};
  PointNetwork network_{};
};

std::vector<unsigned> all_cells() {
  std::vector<unsigned> cells(2 * neurons);
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

TEST(ChildGrids, ASpikeStartsOneForEachTableThatHasItsSynapses) {
  SpikingNetwork network;
  const std::vector<unsigned> cells = {3, 5, neurons + 1};  // the second has none
  ChildGridQueue grids(100);
  EXPECT_EQ(network.pass(cells, false, grids), network.expected(cells));
  EXPECT_EQ(grids.counts().started, 3u);
  EXPECT_EQ(grids.counts().refused, 0u);
}

TEST(ChildGrids, WhatIsRefusedIsDoneAllTheSame) {
  SpikingNetwork network;
  const std::vector<unsigned> cells = all_cells();
  const std::vector<network::Sum> expected = network.expected(cells);
  for (const bool by_block : {false, true})
    for (const std::size_t most : {0, 1, 2, 100, 10000}) {
      ChildGridQueue grids(most);
      EXPECT_EQ(network.pass(cells, by_block, grids), expected) << most;
      const auto [started, refused] = grids.counts();
      EXPECT_EQ(started + refused, by_block ? 3u : 3u * neurons * 4 / 5) << most;
      EXPECT_EQ(started, std::min<std::size_t>(most, started + refused));
    }
}

TEST(ChildGrids, WithoutSpikesThereAreNone) {
  SpikingNetwork network;
  for (const bool by_block : {false, true}) {
    ChildGridQueue grids(10);
    EXPECT_EQ(network.pass({}, by_block, grids), network.expected({}));
    EXPECT_EQ(grids.counts().started + grids.counts().refused, 0u);
  }
}

}  // namespace
}  // namespace hillock::simulator::on_device
