#include "network/events.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace hillock::network {

std::int64_t arrival_step(double time_ms, double dt_ms) {
  return static_cast<std::int64_t>(std::floor(time_ms / dt_ms + 0.5 + 1e-6));
}

bool arrives_by(std::int64_t step, double time_ms, double dt_ms) {
  return time_ms / dt_ms + 0.5 + 1e-6 < static_cast<double>(step + 1);
}

EventQueue::EventQueue(std::int64_t epoch_steps) : epoch_steps_(epoch_steps) {}

void EventQueue::add(const Event& event) {
  const std::int64_t ahead = event.step / epoch_steps_ - first_epoch_;
  if (ahead < 0) throw std::logic_error("an event arrives in an epoch that is over");
  const auto slot = static_cast<std::size_t>(ahead);
  if (slot >= epochs_.size()) epochs_.resize(slot + 1);
  epochs_[slot].push_back(event);
}

std::vector<Event> EventQueue::take(std::int64_t first) {
  const std::int64_t epoch = first / epoch_steps_;
  if (epoch != first_epoch_) throw std::logic_error("epochs are taken in order");
  ++first_epoch_;
  if (epochs_.empty()) return {};
  std::vector<Event> events = std::move(epochs_.front());
  epochs_.erase(epochs_.begin());
  std::sort(events.begin(), events.end());
  return events;
}

}  // namespace hillock::network
