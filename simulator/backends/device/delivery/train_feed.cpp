#include "simulator/backends/device/delivery/train_feed.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::on_device {

TrainFeed::TrainFeed(std::span<const std::unique_ptr<RangeEvents>> ranges,
                     std::vector<std::uint64_t> first_runs, const network::Boundaries& boundaries)
    : ranges_(ranges),
      first_runs_(std::move(first_runs)),
      boundaries_(boundaries),
      events_(ranges.size()) {}

bool TrainFeed::is_any_before(std::int64_t last) const {
  return std::ranges::any_of(ranges_, [&](const auto& range) {
    return range->trains().next_ms() < (static_cast<double>(last) + 1) * boundaries_.dt_ms;
  });
}

std::span<const TrainEvent> TrainFeed::drive(std::size_t r, std::int64_t first, std::int64_t last) {
  events_[r].clear();
  network::Trains& trains = ranges_[r]->trains();
  trains.drive(
      first, last, boundaries_,
      [&](std::int64_t, double time_ms, const network::DrivenCell& train) {
        events_[r].push_back({time_ms, train.source, first_runs_[r] + trains.number_of(train)});
      });
  return events_[r];
}

}  // namespace hillock::simulator::on_device
