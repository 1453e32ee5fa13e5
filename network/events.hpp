#pragma once
// Events on their way to synapses: when they arrive, in which order they are applied.

#include <cstdint>
#include <tuple>
#include <vector>

namespace hillock::network {

/// The step boundary nearest to a time; exactly half a step goes to the later one.
/// A millionth of a step is round-off: times are sums of steps and delays.
std::int64_t arrival_step(double time_ms, double dt_ms);

/// Whether that step boundary is `step` or an earlier one.
bool arrives_by(std::int64_t step, double time_ms, double dt_ms);

/// The synapse instance an event is applied to, inside one cell group.
struct EventTarget {
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  std::uint16_t block = 0;  ///< mechanism block of the group
  std::uint16_t lane = 0;
  std::uint32_t instance = 0;    ///< in the block
  std::uint32_t slot = no_slot;  ///< of the connection's arguments, where it keeps them
};

/// Sources of stimuli come after all cells in the order of events.
inline constexpr std::uint64_t first_stimulus_source = std::uint64_t{1} << 63;

struct Event {
  std::int64_t step = 0;  ///< the boundary it is applied at: before step `step`
  double time_ms = 0;     ///< exact
  std::uint64_t source = 0;
  std::uint32_t projection = 0;  ///< or stimulus
  std::uint32_t k = 0;           ///< connection of the (source, cell) pair, and its place
  EventTarget target;
  double weight = 0;

  /// Total order that does not depend on who made the event when.
  bool operator<(const Event& other) const {
    return std::tie(step, time_ms, source, projection, target.lane, k, target.block,
                    target.instance) < std::tie(other.step, other.time_ms, other.source,
                                                other.projection, other.target.lane, other.k,
                                                other.target.block, other.target.instance);
  }
};

/// Events of one cell group, kept by epoch until they are due.
class EventQueue {
 public:
  explicit EventQueue(std::int64_t epoch_steps);

  void add(const Event& event);
  /// All events with step in [first, first + epoch_steps), sorted; they leave the queue.
  /// first must be a multiple of epoch_steps, and rise from call to call.
  std::vector<Event> take(std::int64_t first);

 private:
  std::int64_t epoch_steps_;
  std::int64_t first_epoch_ = 0;
  std::vector<std::vector<Event>> epochs_;  ///< [epoch - first_epoch_]
};

}  // namespace hillock::network
