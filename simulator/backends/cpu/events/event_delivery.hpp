#pragma once
// Events of one group: applied to its instances at step boundaries, with what these ask for in
// turn.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/state/state_walk.hpp"
#include "mechanisms/kernels.hpp"
#include "simulator/backends/cpu/events/self_events.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/backends/cpu/layout/model_order.hpp"
#include "simulator/begin/awaited_event.hpp"
#include "simulator/step/instance_events.hpp"
#include "simulator/step/watches.hpp"

namespace hillock::simulator::cpu {

/// An event on its way to one instance.
struct GroupEvent {
  std::int64_t step = 0;  ///< the boundary it is applied at: before step `step`
  double time_ms = 0;     ///< exact
  double weight = 0;
  InstanceTarget target;
};

class EventBuffers;

class EventDelivery {
 public:
  /// The WATCHes of a block's instances; empty where it has none.
  struct Watches {
    std::vector<step::WatchBits> bits;   ///< [instance·lanes + lane]
    std::vector<step::ActiveWatch> all;  ///< and [its WATCHes]
  };

  /// Everything given stays where it is; `views` and `kernels` are those of the group's blocks.
  EventDelivery(GroupLayout& group, const RunConstants& run,
                const std::vector<mechanisms::InstanceBlock>& views,
                const std::vector<const mechanisms::CpuKernels*>& kernels);

  /// INITIAL blocks that send events, then those of connections, then what they sent for t = 0.
  void start(double* v, std::vector<network::CellSpike>& spikes);
  /// Begins an epoch of steps from `first` on.
  void begin_epoch(std::int64_t first);
  /// Forgets the epoch's events, whose memory others get.
  void give_back(EventBuffers& buffers);
  /// Where the epoch's events are put, in the order of their arrival.
  std::vector<GroupEvent>& events() { return events_; }
  /// Events for a block whose instances nobody else can tell from one another's order: they only
  /// add to states. Null for other blocks.
  std::vector<mechanisms::Addition>* additions(std::size_t block) {
    return additions_[block].is_kept ? &additions_[block].events : nullptr;
  }
  /// Applies what arrives at the boundary before `step`, as step/instance_events.hpp has it. Throws
  /// NumericalFailure when a mechanism asks for the impossible, and when more than a million events
  /// reach one instance, not counting the step's first million.
  void deliver(std::int64_t step, double* v, std::vector<network::CellSpike>& spikes);

  /// [block][cell] what was sent by net_send and has not come, in the order of sending.
  std::vector<std::vector<std::vector<begin::AwaitedEvent>>> awaited() const;
  const Watches& watches(std::size_t block) const { return watches_[block]; }

  /// Saves or restores arguments, WATCHes and what was sent by net_send, at an epoch's end.
  void walk(StateWalk& state, std::span<const CellSlots> slots);

  // As a store of step/instance_events.hpp: the instances of all cells of the group, which know
  // nothing of one another, so that one order for all is each one's.
  using Instance = InstanceTarget;
  static constexpr bool sends = true, has_watches = true;
  double next_connection_ms() const {
    return next_ < events_.size() && events_[next_].step <= step_ ? events_[next_].time_ms
                                                                  : step::none;
  }
  void receive_connection();
  double next_own_ms() const { return own_.empty() ? step::none : own_.next_ms(); }
  bool receive_own();
  bool is_watching() const { return watching_; }
  void test_watches(double now_ms);
  bool receive_fired(double now_ms);
  [[noreturn]] bool refuse(const Instance& instance, double time_ms, step::Refusal refusal) const;
  void watch(const Instance& instance, const mechanisms::Message& message, bool is_first);
  bool send(const Instance& instance, const step::OwnEvent& event);
  bool move(const Instance& instance, double time_ms);
  void spike(const Instance& instance, double time_ms);

 private:
  struct Fired {
    unsigned long long rank = 0;
    InstanceTarget target;
    std::uint32_t number = 0;
  };

  struct Additions {
    bool is_kept = false;
    std::vector<mechanisms::Addition> events;  ///< of the epoch
    std::size_t next = 0;                      ///< the first of them that is not applied
  };

  void walk_arguments(StateWalk& state, std::size_t block, const CellSlots& slots);
  void walk_watches(StateWalk& state, std::size_t block, const CellSlots& slots);
  void number_watches(std::span<const CellSlots> slots);
  void walk_own(StateWalk& state);
  std::string column_of(std::size_t block, const char* what) const;
  void add_up(std::int64_t step);
  void receive(const InstanceTarget& target, double time_ms, double flag, double weight);
  void begin_count();
  void count(const InstanceTarget& target, double time_ms);
  step::ActiveWatch& active_watch(const InstanceTarget& target, int number);
  /// Above 0 while it holds.
  double condition(const InstanceTarget& target, int number, double time_ms) const;
  /// Without a connection: arguments of 0, but for the weight.
  double* arguments_of(const InstanceTarget& target, double weight);
  mechanisms::Delivery delivery_to(const InstanceTarget& target, double flag, double weight);
  mechanisms::KernelTime at(double time_ms) const { return run_.at(time_ms); }
  bool is_there(const InstanceTarget& target) const;
  std::size_t row_of(const InstanceTarget& target) const;
  /// Of the group.
  std::size_t cell_of(const InstanceTarget& target) const {
    return group_.cell_at(row_of(target), target.lane);
  }
  [[noreturn]] void fail(const InstanceTarget& target, double time_ms,
                         const std::string& problem) const;

  template <class Body>
  void for_each_instance(std::size_t block, const Body& body) const;

  GroupLayout& group_;
  const RunConstants& run_;
  const std::vector<mechanisms::InstanceBlock>& views_;
  const std::vector<const mechanisms::CpuKernels*>& kernels_;
  std::size_t lanes_;
  SelfEvents own_;
  std::vector<GroupEvent> events_;    ///< of the epoch
  std::size_t next_ = 0;              ///< the first of them that is not applied
  std::vector<Additions> additions_;  ///< [block]
  std::int64_t first_step_ = 0;       ///< of the epoch
  std::int64_t step_ = 0;             ///< the boundary before it
  std::vector<Watches> watches_;      ///< [block]
  unsigned long long activated_ = 0;  ///< WATCHes that were reached so far
  bool watching_ = false;             ///< some WATCH was ever reached
  std::vector<Fired> fired_;          ///< those that came true, last of all the first
  std::uint64_t received_ = 0;        ///< events of the step
  /// [(block, lane, instance)], beyond the step's first million
  std::map<std::array<std::uint32_t, 3>, std::uint64_t> received_by_;
  std::vector<double> no_arguments_;
  double* v_ = nullptr;                                ///< during a call: voltages
  std::vector<network::CellSpike>* spikes_ = nullptr;  ///< during a call: what spikes
};

}  // namespace hillock::simulator::cpu
