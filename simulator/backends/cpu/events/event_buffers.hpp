#pragma once
// Memory for the events of an epoch, which groups have while they wait for their turn and are
// integrated: after that it serves others, so that a burst takes that of a few groups. The ranges
// of a thread have it together, and of others none: what another core wrote comes slowly.

#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/backends/cpu/events/event_delivery.hpp"

namespace hillock::simulator::cpu {

/// Any thread takes from it and gives back to it: some integrate groups of others' ranges.
class alignas(64) EventBuffers {
 public:
  /// Appends; a list that has no memory gets some that was given back.
  template <class Event>
  void append(std::vector<Event>& list, const Event& event) {
    if (list.size() == list.capacity()) make_room(list);
    list.push_back(event);
  }
  /// What a list has, which is empty afterwards.
  template <class Event>
  void give_back(std::vector<Event>& list) {
    if (list.capacity() == 0) return;
    list.clear();
    const std::lock_guard lock(mutex_);
    spare<Event>().push_back(std::exchange(list, {}));
  }

 private:
  template <class Event>
  using Lists = std::vector<std::vector<Event>>;

  template <class Event>
  Lists<Event>& spare() {
    return std::get<Lists<Event>>(spare_);
  }
  template <class Event>
  [[gnu::noinline]] void make_room(std::vector<Event>& list) {
    if (list.capacity() == 0) {
      const std::lock_guard lock(mutex_);
      if (!spare<Event>().empty()) {
        list = std::move(spare<Event>().back());
        spare<Event>().pop_back();
        return;
      }
    }
    list.reserve(2 * list.size() + 16);
  }

  std::mutex mutex_;
  std::tuple<Lists<mechanisms::Addition>, Lists<GroupEvent>> spare_;
};

}  // namespace hillock::simulator::cpu
