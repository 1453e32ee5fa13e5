#pragma once
// What each of several ranks would have to do and to hold, told without building the network.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"

namespace hillock::simulator {

struct RankLoadOptions {
  int ranks = 1;
  int threads = 1;  ///< of one rank
  std::int64_t most_epoch_steps = 400;
  std::size_t most_sample_bytes = std::size_t{256} << 20;
  std::uint64_t most_compartments = 500'000;  ///< laid out of a population, to stand for all
};

/// What a rank has, and how many bytes that takes on the CPU.
struct RankLoad {
  int threads = 1;
  std::uint64_t cells = 0;
  std::uint64_t compartments = 0;
  std::uint64_t synapses = 0;       ///< connections, and those of stimuli; expected
  double share = 0;                 ///< of the expected cost of all ranks
  std::uint64_t list_bytes = 0;     ///< rows of lists onto its cells, until all is made
  std::uint64_t dealing_bytes = 0;  ///< before all these, while rows go round
  std::uint64_t state_bytes = 0;
  std::uint64_t connection_bytes = 0;
  std::uint64_t packed_away_bytes = 0;  ///< of these, until all are made
  std::uint64_t ring_bytes = 0;         ///< of state_bytes, when all are made
  std::uint64_t building_bytes = 0;     ///< beyond these, while the last ranges are made
  std::uint64_t preparing_bytes = 0;    ///< before all these, while connectors are made
  std::uint64_t sample_bytes = 0;       ///< reports' columns, and the rows that are on their way
  std::uint64_t event_bytes = 0;        ///< spikes, while all cells spike within half a millisecond
  std::vector<std::uint64_t> columns;   ///< [recording of a variable]

  /// The most that it holds at once. program: without rows of lists. outputs: of the files that it
  /// writes.
  std::uint64_t bytes(std::uint64_t program, std::uint64_t outputs) const;
};

struct RankLoads {
  std::vector<RankLoad> ranks;
  double connections = 0;
  double shortest_delay_ms = 0;  ///< 0 without connections
  std::int64_t epoch_steps = 1;
};

/// Lays out some cells of each population, as many as a rank has but no more than take about a
/// hundred megabytes, and counts connections by their rules: cost does not grow with the network
/// but for the rows of lists, and grows with ranks, populations and projections. Throws
/// InvalidModel.
RankLoads load_ranks(const models::Network& network, const mechanisms::Registry& mechanisms,
                     const RankLoadOptions& options);

/// Whether all ranks together surely take no more than so many bytes beyond the program: a coarse
/// bound that costs a look at a few cells of each population. Throws InvalidModel.
bool surely_take_less(double bytes, const models::Network& network,
                      const mechanisms::Registry& mechanisms, const RankLoadOptions& options);

}  // namespace hillock::simulator
