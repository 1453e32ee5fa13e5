#pragma once
// What a run takes beside its cells and connections, in bytes, told from what they come to.

#include <cstdint>
#include <map>
#include <vector>

#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator {

/// What was built of a plan.
struct Built {
  std::uint64_t groups = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t connection_bytes = 0;
  int threads = 1;
};

/// Beyond what is kept, while the last ranges are made.
std::uint64_t building_bytes(const NetworkPlan& plan, const Built& built);

/// Reports' columns, and the rows between engine and sink.
std::uint64_t sample_bytes(const NetworkPlan& plan, std::int64_t epoch_steps, int threads);

/// Of these what maps from currents to potentials take, whether they are made or not.
std::uint64_t map_bytes(const NetworkPlan& plan);

/// Of a report, the rows between an engine and its sink, each so large. They are those of two
/// epochs, or what is handed over at once where an epoch has less.
double row_bytes(double rows_an_epoch, double rows_of_run, double bytes_a_row);

/// How many cells of each population may spike: [population], of those that a rank has or of all.
using SpikingCells = std::vector<double>;
SpikingCells spiking_cells(const models::Network& network);

/// What spikes take of a rank between an engine and a file, where all cells spike within half a
/// millisecond, and no sooner than 5 ms later again.
struct SpikesOfRank {
  const SpikingCells* own = nullptr;
  const SpikingCells* all = nullptr;
  int ranks = 1;
  bool writes = true;  ///< the first rank
  double epoch_ms = 0;
  double run_ms = 0;
};
std::uint64_t spike_bytes(const SpikesOfRank& of);

/// What spikes send to cells of a rank while all spike within half a millisecond.
class Burst {
 public:
  /// groups: of a range of cells. Of one that gets many events only a group has its own at a time,
  /// where each has some of most arrivals' (CellRange).
  void add(const BurstEvents& events, double groups);
  /// threads: as many ranges hand out theirs at once.
  std::uint64_t bytes(double threads) const;

 private:
  double on_their_way_ = 0;                     ///< entries of inboxes
  std::map<std::uint32_t, double> handed_out_;  ///< events onto a range of the population
};

/// Of a plan whose connections are expected. Nothing spikes without a stimulus.
std::uint64_t event_bytes(const NetworkPlan& plan, const models::Network& network,
                          const Built& built, double epoch_ms);

/// The most that a process holds, which has `program` from the beginning: while connections are
/// prepared and the last ranges are made, then while it runs. With what allocators add, and what
/// these are wrong by.
struct Phases {
  std::uint64_t program = 0;
  std::uint64_t building = 0;
  std::uint64_t running = 0;
  int threads = 1;
};
std::uint64_t most_bytes(const Phases& phases);

}  // namespace hillock::simulator
