#include "simulator/backends/cpu/events/self_events.hpp"

#include <algorithm>
#include <utility>

namespace hillock::simulator::cpu {

void SelfEvents::send(const SelfEvent& event) {
  const auto at = pending_.insert({event, sent_++}).first;
  if (event.kind == SelfEvent::Kind::deliver && event.flag == 1)
    movable_.insert_or_assign(instance_of(event.target), at);
}

bool SelfEvents::move(const InstanceTarget& target, double time_ms) {
  const auto found = movable_.find(instance_of(target));
  if (found == movable_.end()) return false;
  SelfEvent event = found->second->event;
  pending_.erase(found->second);
  event.time_ms = time_ms;
  send(event);
  return true;
}

SelfEvent SelfEvents::take() {
  const auto first = pending_.begin();
  SelfEvent event = first->event;
  pending_.erase(first);
  // Once an event of flag 1 has come, there is nothing to move until the next is sent.
  if (event.kind == SelfEvent::Kind::deliver && event.flag == 1)
    movable_.erase(instance_of(event.target));
  return event;
}

std::vector<SelfEvents::Sent> SelfEvents::all() const {
  std::vector<std::pair<std::uint64_t, Sent>> numbered;
  for (auto at = pending_.begin(); at != pending_.end(); ++at) {
    const auto movable = movable_.find(instance_of(at->event.target));
    numbered.push_back(
        {at->number, {at->event, movable != movable_.end() && movable->second == at}});
  }
  std::ranges::sort(numbered, {}, [](const auto& one) { return one.first; });
  std::vector<Sent> all;
  for (auto& [number, sent] : numbered) all.push_back(sent);
  return all;
}

void SelfEvents::replace(std::span<const Sent> all) {
  pending_.clear();
  movable_.clear();
  for (const Sent& sent : all) {
    const auto at = pending_.insert({sent.event, sent_++}).first;
    if (sent.is_movable) movable_.emplace(instance_of(sent.event.target), at);
  }
}

}  // namespace hillock::simulator::cpu
