#pragma once
// The events of trains where a device finds them: those of an epoch, and those of the next, which
// are made while it runs.

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "simulator/backends/cuda/pinned.hpp"
#include "simulator/backends/cuda/train_feed.hpp"

namespace hillock::simulator::cuda {

class PinnedTrains {
 public:
  PinnedTrains() = default;
  explicit PinnedTrains(TrainFeed feed) : feed_(std::move(feed)) {}

  /// Makes what arrives at steps [first, last), which the next call of of() will ask for.
  void prepare(std::int64_t first, std::int64_t last, Crew& crew) {
    if (first < last) next_ = make(first, last, crew);
  }
  /// What arrives at steps [first, last); stays while the next ones are prepared.
  std::span<const TrainEvent> of(std::int64_t first, std::int64_t last, Crew& crew) {
    if (next_.first == next_.last) next_ = make(first, last, crew);
    if (next_.first != first || next_.last != last)
      throw std::logic_error("an epoch is not the one that was announced");
    return std::exchange(next_, {}).events;
  }

 private:
  struct Epoch {
    std::int64_t first = 0, last = 0;
    std::span<const TrainEvent> events;
  };

  Epoch make(std::int64_t first, std::int64_t last, Crew& crew) {
    const auto lists = feed_.take(first, last, crew);
    std::size_t count = 0;
    for (const auto& some : lists) count += some.size();
    parity_ = 1 - parity_;
    PinnedArray<TrainEvent>& to = events_[parity_];
    to.reserve(count);
    TrainEvent* at = to.data();
    for (const auto& some : lists) at = std::ranges::copy(some, at).out;
    return {first, last, {to.data(), count}};
  }

  TrainFeed feed_;
  PinnedArray<TrainEvent> events_[2];
  unsigned parity_ = 0;
  Epoch next_;
};

}  // namespace hillock::simulator::cuda
