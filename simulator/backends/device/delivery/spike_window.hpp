#pragma once
// Which spikes a device still keeps: those that may be on their way, in a ring. Only counts them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "network/arrival.hpp"

namespace hillock::simulator::on_device {

class SpikeWindow {
 public:
  SpikeWindow() = default;
  /// longest_delay_ms: of all connections.
  SpikeWindow(double longest_delay_ms, const network::Boundaries& boundaries)
      : longest_delay_ms_(longest_delay_ms), boundaries_(boundaries) {}

  /// Forgets the oldest of which everything has arrived before a step.
  void forget_before(std::int64_t step) {
    while (!batches_.empty() && has_arrived(batches_.front(), step)) {
      from_ += batches_.front().count;
      count_ -= batches_.front().count;
      batches_.pop_front();
    }
  }
  /// The number of the oldest that would be kept then.
  std::uint64_t from_before(std::int64_t step) const {
    std::uint64_t from = from_;
    for (const Batch& batch : batches_) {
      if (!has_arrived(batch, step)) break;
      from += batch.count;
    }
    return from;
  }
  /// latest_ms: when the last of them was sent.
  void add(std::size_t count, double latest_ms) {
    if (count == 0) return;
    batches_.push_back({count, latest_ms});
    count_ += count;
  }

  /// The number of the oldest that is kept, counted from the first of all.
  std::uint64_t from() const { return from_; }
  std::size_t count() const { return count_; }

 private:
  struct Batch {
    std::size_t count = 0;
    double latest_ms = 0;
  };
  bool has_arrived(const Batch& batch, std::int64_t step) const {
    const std::int64_t most = boundaries_.clock_size > 0 ? 1 : 0;  // that a clock's sums put it off
    return boundaries_.arrives_by(step - 1 - most, batch.latest_ms + longest_delay_ms_);
  }
  double longest_delay_ms_ = 0;
  network::Boundaries boundaries_{.dt_ms = 1};
  std::uint64_t from_ = 0;
  std::size_t count_ = 0;
  std::deque<Batch> batches_;
};

}  // namespace hillock::simulator::on_device
