#include "network/event_sources.hpp"

#include <algorithm>

namespace hillock::network {

EventTrain EventTrain::poisson(double rate_Hz, double start_ms, double stop_ms, std::uint64_t seed,
                               std::uint64_t stimulus, std::uint64_t cell) {
  EventTrain train;
  train.is_poisson_ = true;
  train.stream_ = RandomStream(seed, Purpose::poisson, {stimulus, cell, 0});
  if (rate_Hz > 0) train.mean_interval_ms_ = 1000 / rate_Hz;
  train.stop_ms_ = stop_ms;
  train.next_ms_ = start_ms;
  train.advance();
  return train;
}

EventTrain EventTrain::times(std::vector<double> times_ms) {
  EventTrain train;
  std::sort(times_ms.begin(), times_ms.end());
  train.times_ms_ = std::move(times_ms);
  if (!train.times_ms_.empty()) train.next_ms_ = train.times_ms_.front();
  return train;
}

void EventTrain::advance() {
  constexpr double never = std::numeric_limits<double>::infinity();
  ++position_;
  if (is_poisson_) {
    next_ms_ += mean_interval_ms_ * stream_.exponential();
    if (!(next_ms_ < stop_ms_)) next_ms_ = never;
    return;
  }
  next_ms_ = position_ < times_ms_.size() ? times_ms_[position_] : never;
}

void EventTrain::go_to(std::uint64_t position, double next_ms) {
  if (is_poisson_) stream_.skip_to(position);
  position_ = position;
  next_ms_ = next_ms;
}

}  // namespace hillock::network
