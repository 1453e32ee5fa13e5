#include "simulator/backends/cpu/self_events.hpp"

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

}  // namespace hillock::simulator::cpu
