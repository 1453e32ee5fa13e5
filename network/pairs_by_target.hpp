#pragma once
// Pairs of cells that are found in pieces, in any order of targets, joined target by target. All
// threads work on it: a piece puts its pairs into a few spans of targets, and each span joins its
// own of all pieces.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/runner.hpp"

namespace hillock::network {

/// A source, counted in its population, and the place of a target among those that are joined.
using Pair = std::array<std::uint32_t, 2>;

/// Places [begin, end) of targets in spans of like width.
class TargetSpans {
 public:
  TargetSpans(std::uint64_t begin, std::uint64_t end);

  std::size_t count() const { return count_; }
  std::size_t of(std::uint32_t target) const { return (target - begin_) >> shift_; }
  std::uint64_t begin(std::size_t span) const { return begin_ + (span << shift_); }
  std::uint64_t end(std::size_t span) const { return std::min(end_, begin(span + 1)); }

 private:
  std::uint64_t begin_, end_;
  int shift_ = 0;
  std::size_t count_ = 0;
};

/// The pairs of one piece, span by span; in a span they keep their order.
class PairPiece {
 public:
  PairPiece() = default;
  PairPiece(std::span<const Pair> pairs, const TargetSpans& spans);

  std::span<const Pair> in(std::size_t span) const {
    return std::span(pairs_).subspan(first_[span], count_[span]);
  }
  std::size_t count(std::size_t span) const { return count_[span]; }
  /// Leaves out those of a span for which keeps(pair) is false.
  template <class Keeps>
  void keep_if(std::size_t span, const Keeps& keeps) {
    std::size_t to = first_[span];
    for (const Pair& pair : in(span))
      if (keeps(pair)) pairs_[to++] = pair;
    count_[span] = to - first_[span];
  }

 private:
  std::vector<Pair> pairs_;
  std::vector<std::size_t> first_, count_;  ///< [span]
};

/// The sources of each target.
struct SourcesByTarget {
  std::vector<std::uint64_t> first;  ///< [target of the slice, and one more] into the sources
  std::unique_ptr<std::uint32_t[]> sources;
};

/// Sources, which lie below `sources`, come in rising order. The pieces are empty afterwards.
SourcesByTarget join(std::vector<PairPiece>& pieces, std::uint64_t sources,
                     const TargetSpans& spans, const Runner& run);

}  // namespace hillock::network
