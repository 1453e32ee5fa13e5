#pragma once
// The events of trains where a device finds them: those of two epochs that are under way.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulator/backends/device/delivery/train_feed.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

class PinnedTrains {
 public:
  PinnedTrains() = default;
  explicit PinnedTrains(TrainFeed feed) : feed_(std::move(feed)) {}

  /// What arrives at steps [first, last); stays until the call after the next. Calls follow one
  /// another without a gap.
  std::span<const TrainEvent> take(std::int64_t first, std::int64_t last, Crew& crew) {
    if (!feed_.is_any_before(last)) return {};
    PinnedArray<TrainEvent>& to = events_[parity_ = 1 - parity_];
    std::vector<std::span<const TrainEvent>> some(feed_.range_count());
    std::atomic<std::size_t> count = 0;
    // In any order: nobody asks which of an epoch's arrivals is the first.
    crew.work([&](std::size_t r) {
      some[r] = feed_.drive(r, first, last);
      const std::size_t at = count.fetch_add(some[r].size(), std::memory_order_relaxed);
      if (at + some[r].size() <= to.size()) std::ranges::copy(some[r], to.data() + at);
    });
    if (count > to.size()) {
      to.reserve(count);
      TrainEvent* at = to.data();
      for (const auto& of_range : some) at = std::ranges::copy(of_range, at).out;
    }
    return {to.data(), count};
  }

 private:
  TrainFeed feed_;
  PinnedArray<TrainEvent> events_[2];
  unsigned parity_ = 0;
};

}  // namespace hillock::simulator::on_device
