#pragma once
// The events of trains where a device finds them: those of two epochs that are under way.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "simulator/backends/cuda/pinned.hpp"
#include "simulator/backends/cuda/train_feed.hpp"

namespace hillock::simulator::cuda {

class PinnedTrains {
 public:
  PinnedTrains() = default;
  explicit PinnedTrains(TrainFeed feed) : feed_(std::move(feed)) {}

  /// What arrives at steps [first, last); stays until the call after the next. Calls follow one
  /// another without a gap.
  std::span<const TrainEvent> take(std::int64_t first, std::int64_t last, Crew& crew) {
    const auto lists = feed_.take(first, last, crew);
    std::size_t count = 0;
    for (const auto& some : lists) count += some.size();
    PinnedArray<TrainEvent>& to = events_[parity_ = 1 - parity_];
    to.reserve(count);
    TrainEvent* at = to.data();
    for (const auto& some : lists) at = std::ranges::copy(some, at).out;
    return {to.data(), count};
  }

 private:
  TrainFeed feed_;
  PinnedArray<TrainEvent> events_[2];
  unsigned parity_ = 0;
};

}  // namespace hillock::simulator::cuda
