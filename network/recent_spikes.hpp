#pragma once
// The spikes that may still be on their way: what a saved run needs of the past. Each rank keeps
// those of its own cells, and a state has them by the cell that made them: parts of a state are
// joined and taken out of it without a word of spikes, and whoever goes on sends its own again.

#include <deque>
#include <span>
#include <vector>

#include "core/state/state_walk.hpp"
#include "models/network.hpp"
#include "network/spikes.hpp"

namespace hillock::network {

class RecentSpikes {
 public:
  RecentSpikes() = default;
  /// longest_delay_ms: of all connections. step_ms: of the run or, where it is longer, of cells.
  RecentSpikes(double longest_delay_ms, double step_ms)
      : longest_ms_(longest_delay_ms), step_ms_(step_ms) {}

  /// Spikes of this rank's cells in an epoch; those of old that have all arrived before `now_ms`
  /// are forgotten.
  void add(std::span<const std::vector<CellSpike>> spikes, double now_ms);
  /// Those that are kept and some more, but none that has arrived before `now_ms`, of the cells
  /// that the state has: in columns "spikes/time", rising.
  void save(State& state, const models::Network& network,
            std::span<const std::vector<CellSpike>> more, double now_ms) const;
  /// Of all cells that the state has, by time and cell.
  static std::vector<CellSpike> restore(StateReader& state, const models::Network& network);

 private:
  bool has_arrived(double time_ms, double now_ms) const {
    // It is rounded to half a step later twice at most, or to the end of a step and one more.
    return time_ms + longest_ms_ + 2 * step_ms_ < now_ms;
  }

  struct Some {
    double latest_ms = 0;
    std::vector<CellSpike> spikes;
  };
  double longest_ms_ = 0;
  double step_ms_ = 0;
  std::deque<Some> kept_;  ///< by epoch
};

}  // namespace hillock::network
