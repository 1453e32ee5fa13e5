#pragma once
// The events of trains where a device finds them, drawn some epochs ahead beside the thread that
// drives it: what trains bring to an epoch may take longer to draw than the epoch takes a device.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulator/backends/device/delivery/train_feed.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/threads/parallel.hpp"
#include "simulator/threads/side_thread.hpp"

namespace hillock::simulator::on_device {

class PinnedTrains {
 public:
  /// threads: that the host may keep busy.
  PinnedTrains(TrainFeed feed, int threads)
      : feed_(std::move(feed)),
        crew_(std::vector<std::uint64_t>(feed_.range_count(), 1),
              threads_for(feed_.train_count(), threads - 1)) {
    if (threads > 1 && feed_.train_count() > 0) side_.emplace(on_any_core("draw trains"));
  }

  /// What arrives at steps [first, last), in any order; stays until the call after the next. Calls
  /// follow one another without a gap.
  std::span<const TrainEvent> take(std::int64_t first, std::int64_t last) {
    if (taken_ == now().epochs.count || last - first != now().epochs.steps) turn(first, last);
    const std::size_t begin = now().begin[taken_], end = now().begin[++taken_];
    return {events_[now_].data() + begin, end - begin};
  }
  /// Lets the trains be where they are when no more is drawn than was taken: before they are saved,
  /// or put elsewhere.
  void settle() {
    if (side_) side_->finish();
    feed_.take_back(next(), 0);
    feed_.take_back(now(), taken_);
    now().epochs.count = next().epochs.count = taken_ = 0;
  }

 private:
  /// As many epochs as have some thousand events, but not so many that a device waits for them.
  static constexpr std::size_t few_events = 1 << 12, most_epochs = 64;

  static int threads_for(std::size_t trains, int most) {
    constexpr std::size_t of_a_thread = 4096;
    return static_cast<int>(std::min(1 + trains / of_a_thread, static_cast<std::size_t>(most)));
  }

  DrawnTrains& now() { return drawn_[now_]; }
  DrawnTrains& next() { return drawn_[1 - now_]; }

  /// Goes on to the epochs that were drawn ahead, if they are of that length, and draws the next.
  void turn(std::int64_t first, std::int64_t last) {
    if (side_) side_->finish();
    const bool ends_early = taken_ < now().epochs.count;
    if (ends_early || next().epochs.count == 0 || next().epochs.steps != last - first) {
      if (ends_early) ahead_ = 1;  // others will
      settle();
      feed_.draw({first, last - first, ahead_}, next(), crew_);
    }
    now_ = 1 - now_;
    taken_ = 0;
    events_[now_].reserve(now().events.size());
    std::ranges::copy(now().events, events_[now_].data());
    if (now().events.size() < few_events && ahead_ < most_epochs) ahead_ *= 2;
    if (now().events.size() > 4 * few_events && ahead_ > 1) ahead_ /= 2;
    next().epochs.count = 0;
    const EqualEpochs behind{now().epochs.begin(now().epochs.count), last - first, ahead_};
    if (side_) side_->give([this, behind] { feed_.draw(behind, next(), crew_); });
  }

  TrainFeed feed_;
  Crew crew_;
  DrawnTrains drawn_[2];
  unsigned now_ = 0;                   ///< which of these are taken
  std::size_t taken_ = 0;              ///< epochs of them
  std::size_t ahead_ = 1;              ///< so many are drawn next
  PinnedArray<TrainEvent> events_[2];  ///< of both
  std::optional<SideThread> side_;
};

}  // namespace hillock::simulator::on_device
