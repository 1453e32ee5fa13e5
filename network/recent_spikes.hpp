#pragma once
// The spikes that may still be on their way: what a saved run needs of the past.

#include <deque>
#include <span>
#include <vector>

#include "core/state.hpp"
#include "network/spikes.hpp"

namespace hillock::network {

class RecentSpikes {
 public:
  RecentSpikes() = default;
  /// longest_delay_ms: of all connections.
  RecentSpikes(double longest_delay_ms, double dt_ms)
      : longest_ms_(longest_delay_ms), dt_ms_(dt_ms) {}

  /// Spikes of an epoch; those of old that have all arrived before `now_ms` are forgotten.
  void add(std::span<const std::vector<CellSpike>> spikes, double now_ms);
  /// Those that are kept and some more, but none that has arrived before `now_ms`, in columns
  /// "spikes/...", by time and cell.
  void save(State& state, std::span<const std::vector<CellSpike>> more, double now_ms) const;
  static std::vector<CellSpike> restore(StateReader& state);

 private:
  bool has_arrived(double time_ms, double now_ms) const {
    return time_ms + longest_ms_ + dt_ms_ < now_ms;  // an event may be half a step late
  }

  struct Some {
    double latest_ms = 0;
    std::vector<CellSpike> spikes;
  };
  double longest_ms_ = 0;
  double dt_ms_ = 0;
  std::deque<Some> kept_;  ///< by epoch
};

}  // namespace hillock::network
