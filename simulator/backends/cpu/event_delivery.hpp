#pragma once
// Events of one group: applied to its instances at step boundaries, with what these ask for in
// turn.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/state_walk.hpp"
#include "mechanisms/kernels.hpp"
#include "simulator/backends/cpu/group_layout.hpp"
#include "simulator/backends/cpu/model_order.hpp"
#include "simulator/backends/cpu/self_events.hpp"

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
  /// The WATCHes of one instance, one bit each.
  struct Watches {
    std::uint32_t active = 0;
    std::uint32_t held = 0;     ///< where the condition held when last tested
    std::vector<double> flags;  ///< [number]
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
  /// Applies what arrives at the boundary before `step`, in the order of time; of one time events
  /// of connections first. Conditions of WATCH are tested at the boundary's own time, t: after
  /// what arrived until then. Throws NumericalFailure when a mechanism asks for the impossible, and
  /// when more than a million events reach one instance, not counting the step's first million.
  void deliver(std::int64_t step, double* v, std::vector<network::CellSpike>& spikes);

  /// What was sent by net_send and has not come, in the order of sending.
  std::vector<SelfEvents::Sent> awaited() const { return own_.all(); }
  /// Of a block's instances, [instance·lanes + lane]; empty where it has no WATCH.
  const std::vector<Watches>& watches(std::size_t block) const { return watches_[block]; }

  /// Saves or restores arguments, WATCHes and what was sent by net_send, at an epoch's end.
  void walk(StateWalk& state, std::span<const CellSlots> slots);

 private:
  struct Fired {
    InstanceTarget target;
    double flag = 0;
  };

  struct Additions {
    bool is_kept = false;
    std::vector<mechanisms::Addition> events;  ///< of the epoch
    std::size_t next = 0;                      ///< the first of them that is not applied
  };

  void walk_arguments(StateWalk& state, std::size_t block, const CellSlots& slots);
  void walk_watches(StateWalk& state, std::size_t block, const CellSlots& slots);
  void walk_own(StateWalk& state);
  std::string column_of(std::size_t block, const char* what) const;
  void add_up(std::int64_t step);
  void deliver_until(std::int64_t step, double last_ms);
  void test_watches(double time_ms);
  void receive(const InstanceTarget& target, double time_ms, double flag, double weight);
  void begin_count();
  void count(const InstanceTarget& target, double time_ms);
  void handle(const mechanisms::Delivery& event, const InstanceTarget& target, double time_ms,
              double weight);
  void activate(const mechanisms::Message& message, const InstanceTarget& target, double time_ms,
                bool is_first);
  bool holds(const InstanceTarget& target, int number, double time_ms) const;
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
  std::vector<GroupEvent> events_;             ///< of the epoch
  std::size_t next_ = 0;                       ///< the first of them that is not applied
  std::vector<Additions> additions_;           ///< [block]
  std::int64_t first_step_ = 0;                ///< of the epoch
  std::vector<std::vector<Watches>> watches_;  ///< [block][instance·lanes + lane], or empty
  bool watching_ = false;                      ///< some WATCH was ever reached
  std::uint64_t received_ = 0;                 ///< events of the step
  /// [(block, lane, instance)], beyond the step's first million
  std::map<std::array<std::uint32_t, 3>, std::uint64_t> received_by_;
  std::vector<double> no_arguments_;
  double* v_ = nullptr;                                ///< during a call: voltages
  std::vector<network::CellSpike>* spikes_ = nullptr;  ///< during a call: what spikes
};

}  // namespace hillock::simulator::cpu
