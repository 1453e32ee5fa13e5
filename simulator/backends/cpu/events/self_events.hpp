#pragma once
// Events that mechanisms of one cell group send to themselves, by net_send.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

struct SelfEvent {
  enum class Kind {
    deliver,  ///< to the instance
    spike,    ///< the instance's cell spikes (net_event with a later time)
  };
  double time_ms = 0;
  Kind kind = Kind::deliver;
  InstanceTarget target;  ///< its slot: the connection whose event sent it
  double weight = 0;      ///< of that connection, where it keeps no arguments
  double flag = 0;
};

/// Handed out by time, and at one time in the order in which they were sent.
class SelfEvents {
 public:
  void send(const SelfEvent& event);
  /// Moves the latest event of flag 1 that its instance still awaits, as NEURON's net_move does.
  /// False when there is none.
  bool move(const InstanceTarget& target, double time_ms);

  bool empty() const { return pending_.empty(); }
  /// The next one's time; there must be one.
  double next_ms() const { return pending_.begin()->event.time_ms; }
  SelfEvent take();

  /// One that was sent, when all are looked at in the order of sending.
  struct Sent {
    SelfEvent event;
    bool is_movable = false;  ///< move() finds it
  };
  std::vector<Sent> all() const;
  /// Forgets those that it has, and has these sent in that order.
  void replace(std::span<const Sent> all);

 private:
  struct Pending {
    SelfEvent event;
    std::uint64_t number = 0;  ///< of sending

    bool operator<(const Pending& other) const {
      return event.time_ms != other.event.time_ms ? event.time_ms < other.event.time_ms
                                                  : number < other.number;
    }
  };
  struct Instance {
    std::uint32_t block, lane, instance;
    auto operator<=>(const Instance&) const = default;
  };
  static Instance instance_of(const InstanceTarget& target) {
    return {target.block, target.lane, target.instance};
  }

  std::set<Pending> pending_;
  std::map<Instance, std::set<Pending>::iterator> movable_;  ///< events of flag 1
  std::uint64_t sent_ = 0;
};

}  // namespace hillock::simulator::cpu
