#include "simulator/backends/device/delivery/train_feed.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::on_device {

TrainFeed::TrainFeed(std::span<const std::unique_ptr<RangeEvents>> ranges,
                     std::vector<std::uint64_t> first_runs, const network::Boundaries& boundaries)
    : ranges_(ranges), first_runs_(std::move(first_runs)), boundaries_(boundaries) {}

std::size_t TrainFeed::train_count() const {
  std::size_t count = 0;
  for (const auto& range : ranges_) count += range->trains().all().size();
  return count;
}

bool TrainFeed::is_any_before(std::int64_t last) const {
  return std::ranges::any_of(ranges_, [&](const auto& range) {
    return range->trains().next_ms() < (static_cast<double>(last) + 1) * boundaries_.dt_ms;
  });
}

void TrainFeed::draw_range(std::size_t r, DrawnTrains& to) {
  std::vector<DrawnTrains::Drawn>& drawn = to.of_range[r];
  network::Trains& trains = ranges_[r]->trains();
  const EqualEpochs epochs = to.epochs;
  trains.drive(
      epochs.first, epochs.begin(epochs.count), boundaries_,
      [&](std::int64_t step, double time_ms, const network::DrivenCell& train) {
        const auto epoch = static_cast<std::uint32_t>((step - epochs.first) / epochs.steps);
        const network::Trains::Place before = trains.place_of(train);
        drawn.push_back({{time_ms, train.source, first_runs_[r] + before.train}, before, epoch});
        ++to.places[r][epoch];
      });
}

void TrainFeed::draw(const EqualEpochs& epochs, DrawnTrains& to, Crew& crew) {
  to.epochs = epochs;
  to.of_range.resize(ranges_.size());
  to.places.assign(ranges_.size(), std::vector<std::size_t>(epochs.count));
  for (auto& drawn : to.of_range) drawn.clear();
  const bool is_any = is_any_before(epochs.begin(epochs.count));
  if (is_any) crew.work([&](std::size_t r) { draw_range(r, to); });
  to.begin = {0};
  std::size_t at = 0;
  for (std::size_t e = 0; e < epochs.count; ++e) {
    for (std::vector<std::size_t>& places : to.places) {
      const std::size_t count = std::exchange(places[e], at);
      at += count;
    }
    to.begin.push_back(at);
  }
  to.events.resize(at);
  if (is_any)
    crew.work([&](std::size_t r) {
      for (const DrawnTrains::Drawn& one : to.of_range[r])
        to.events[to.places[r][one.epoch]++] = one.event;
    });
}

void TrainFeed::take_back(const DrawnTrains& drawn, std::size_t epoch) {
  if (epoch >= drawn.epochs.count) return;
  for (std::size_t r = 0; r < drawn.of_range.size(); ++r) {
    std::vector<network::Trains::Place> places;
    for (const DrawnTrains::Drawn& one : drawn.of_range[r])
      if (one.epoch >= epoch) places.push_back(one.before);
    ranges_[r]->trains().go_back(places);
  }
}

}  // namespace hillock::simulator::on_device
