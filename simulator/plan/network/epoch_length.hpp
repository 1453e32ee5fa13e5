#pragma once
// How long the epochs of a run are: for so long no cell can affect another.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/ids.hpp"

namespace hillock::simulator {

/// Whether spikes travel while the next epoch runs, which is then half the shortest delay at most.
enum class Overlap { automatic, yes, no };

/// Spikes that are known when a step ends and have the time of its beginning: of point neurons
/// whose step is several of the run's.
struct LateSpikes {
  PopulationId from;
  std::int64_t run_steps = 1;                                          ///< of such a step
  double shortest_delay_ms = std::numeric_limits<double>::infinity();  ///< at least the step
};

/// What decides it, of all ranks together.
struct EpochBounds {
  double dt_ms = 0;
  bool has_clock = false;
  double shortest_delay_ms = 0;       ///< 0 without connections
  std::vector<LateSpikes> late = {};  ///< where the engine is not free
  bool has_gap_junctions = false;
  bool has_ranks = false;       ///< several
  std::int64_t free_steps = 0;  ///< as the engine says
  Overlap overlap = Overlap::automatic;
  std::int64_t most_steps = 0;
  double samples_a_step = 0;  ///< the part of what an epoch's samples may take
};

struct EpochLength {
  std::int64_t steps = 1;
  bool overlaps = false;  ///< spikes travel while the next epoch runs
};

/// The whole steps of a shortest delay: at most as many as two epochs ever have, and so many where
/// there is none, 0. has_clock: what comes after whole steps may come a step sooner, as sums are
/// rounded.
std::int64_t whole_delay_steps(double shortest_ms, double dt_ms, bool has_clock = false);

/// The smallest delay in whole steps, between 1 and 400; 400 without connections, 1 with gap
/// junctions. Where spikes travel during an epoch, half of it: those of one then arrive after the
/// next. Longer where the engine is free to. Shorter where samples of an epoch take more memory
/// than they may, and where late spikes would not come in time.
EpochLength epoch_length(const EpochBounds& bounds);

}  // namespace hillock::simulator
