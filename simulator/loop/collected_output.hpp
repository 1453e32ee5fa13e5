#pragma once
// What epochs make, on its way from the engine to whoever hands it over.

#include <chrono>
#include <cstdint>
#include <vector>

#include "simulator/backends/engine.hpp"
#include "simulator/output/hand_over.hpp"

namespace hillock::simulator {

std::uint64_t count_of(const network::SpikeLists& lists);

/// What an epoch makes.
struct Made {
  EpochResult result;
  std::vector<std::vector<double>> rows;  ///< [report] to which the result's buffers point
  bool is_collected = true;
  double end_ms = 0;  ///< of the epoch
};

/// What the epochs since the last take() made.
class CollectedOutput {
 public:
  /// keeps_spikes: the epoch's are still to be told of, and stay there.
  void add(Made& made, bool keeps_spikes);
  /// Whether there will be as much as is handed over at once, by one of so many ranks, when that is
  /// added: a short epoch makes little.
  bool has_block(const Made& made, int ranks) const;
  Output take();

  std::uint64_t spike_count = 0;  ///< of the whole run
  double until_ms = 0;            ///< all until then has been added

 private:
  Output output_;
  std::chrono::steady_clock::time_point taken_;
};

}  // namespace hillock::simulator
