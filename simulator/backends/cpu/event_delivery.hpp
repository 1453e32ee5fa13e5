#pragma once
// Events of one group: applied to its instances at step boundaries, with what these ask for in
// turn.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mechanisms/kernels.hpp"
#include "network/events.hpp"
#include "network/self_events.hpp"
#include "simulator/cell_group.hpp"

namespace hillock::simulator::cpu {

class EventDelivery {
 public:
  /// Everything given stays where it is; `views` and `kernels` are those of the plan's blocks.
  EventDelivery(GroupPlan& plan, const RunConstants& run,
                const std::vector<mechanisms::InstanceBlock>& views,
                const std::vector<const mechanisms::CpuKernels*>& kernels,
                std::int64_t epoch_steps);

  /// INITIAL blocks that send events, then those of connections, then what they sent for t = 0.
  void start(const double* v, std::vector<CellSpike>& spikes);
  /// Queues an event that arrives in a later epoch.
  void add(const network::Event& event) { queue_.add(event); }
  /// Begins the epoch of steps from `first` on.
  void begin_epoch(std::int64_t first);
  /// Applies what arrives at the boundary before `step`, in the order of time; of one time events
  /// of connections first. Conditions of WATCH are tested at the boundary's own time, t: after
  /// what arrived until then. Throws NumericalFailure when a mechanism asks for the impossible, and
  /// when more than a million events reach one instance, not counting the step's first million.
  void deliver(std::int64_t step, const double* v, std::vector<CellSpike>& spikes);

 private:
  /// The WATCHes of one instance, one bit each.
  struct Watches {
    std::uint32_t active = 0;
    std::uint32_t held = 0;     ///< where the condition held when last tested
    std::vector<double> flags;  ///< [number]
  };
  struct Fired {
    network::EventTarget target;
    double flag = 0;
  };

  void deliver_until(std::int64_t step, double last_ms);
  void test_watches(double time_ms);
  void receive(const network::EventTarget& target, double time_ms, double flag, double weight);
  void begin_count();
  void count(const network::EventTarget& target, double time_ms);
  void handle(const mechanisms::Delivery& event, const network::EventTarget& target, double time_ms,
              double weight);
  void activate(const mechanisms::Message& message, const network::EventTarget& target,
                double time_ms, bool is_first);
  bool holds(const network::EventTarget& target, int number, double time_ms) const;
  /// Without a connection: arguments of 0, but for the weight.
  double* arguments_of(const network::EventTarget& target, double weight);
  mechanisms::Delivery delivery_to(const network::EventTarget& target, double flag, double weight);
  mechanisms::KernelTime at(double time_ms) const { return run_.at(time_ms); }
  bool is_there(const network::EventTarget& target) const;
  [[noreturn]] void fail(const network::EventTarget& target, double time_ms,
                         const std::string& problem) const;

  template <class Body>
  void for_each_instance(std::size_t block, const Body& body) const;

  GroupPlan& plan_;
  const RunConstants& run_;
  const std::vector<mechanisms::InstanceBlock>& views_;
  const std::vector<const mechanisms::CpuKernels*>& kernels_;
  std::size_t lanes_;
  network::EventQueue queue_;
  network::SelfEvents own_;
  std::vector<network::Event> events_;         ///< of the epoch
  std::size_t next_ = 0;                       ///< the first of them that is not applied
  std::vector<std::vector<Watches>> watches_;  ///< [block][instance·lanes + lane], or empty
  bool watching_ = false;                      ///< some WATCH was ever reached
  std::uint64_t received_ = 0;                 ///< events of the step
  std::unordered_map<std::uint64_t, std::uint64_t>
      received_by_;  ///< beyond the step's first million
  std::vector<double> no_arguments_;
  const double* v_ = nullptr;                 ///< during a call: voltages
  std::vector<CellSpike>* spikes_ = nullptr;  ///< during a call: what spikes
};

}  // namespace hillock::simulator::cpu
