#pragma once
// Who gets what a run makes.

#include <cstddef>
#include <span>
#include <vector>

#include "network/spikes.hpp"

namespace hillock::simulator {

/// Where a run's results go. Called on one thread, which is not the one that runs. Of several ranks
/// the first one's gets all.
class RunSink {
 public:
  virtual ~RunSink() = default;
  /// Spikes of the next epochs, ordered by time and then by cell, of every population that spikes.
  virtual void spikes(std::span<const network::CellSpike> spikes) = 0;
  /// The next rows of a report. report: index in Simulation::reports().
  virtual void rows(std::size_t report, std::vector<double> rows) = 0;
  /// Rows that were handed over and are no longer needed: their memory may serve again. Called
  /// while others are handed over.
  virtual std::vector<double> used_rows(std::size_t /*report*/) { return {}; }
};

}  // namespace hillock::simulator
