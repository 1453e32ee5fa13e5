#pragma once
// Hands what a run makes to its sink, on a thread of its own, while the run goes on.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/containers/time_order.hpp"
#include "network/spikes.hpp"
#include "simulator/output/run_sink.hpp"
#include "simulator/threads/side_thread.hpp"

namespace hillock::simulator {

/// What a few epochs made.
struct Output {
  std::vector<network::CellSpike> spikes;  ///< in any order
  std::vector<std::vector<double>> rows;   ///< [report]

  std::size_t bytes() const;
  std::size_t spike_bytes() const { return spikes.size() * sizeof(network::CellSpike); }
};

class HandOver {
 public:
  /// What an epoch makes waits for that of the next ones until there is so much.
  static constexpr std::size_t block_bytes = 256 << 10;
  /// Of one of several ranks, of which the first gets all: so much of its own.
  static std::size_t block_bytes_of(int ranks) {
    constexpr std::size_t least = 32 << 10;
    return std::max(least, block_bytes / static_cast<std::size_t>(ranks));
  }
  /// The sink gets no more spikes at once.
  static constexpr std::size_t most_spikes = 16384;

  explicit HandOver(RunSink& sink) : sink_(sink) {}

  /// Waits until what was given before is handed over. Throws what the sink threw.
  void give(Output output);
  /// Waits until all is handed over, too, as the destructor does. Throws what the sink threw.
  void finish() { thread_.finish(); }

 private:
  static constexpr auto number_of = [](const network::CellSpike& spike) {
    return spike.cell.value;
  };

  void pass_to_sink(Output output);

  RunSink& sink_;
  TimeOrder<network::CellSpike, &network::CellSpike::time_ms, number_of> order_;
  bool has_failed_ = false;  ///< the sink is not called again
  SideThread thread_{on_any_core("hand over")};
};

}  // namespace hillock::simulator
