#pragma once
// What epochs make, on its way from the engine to whoever hands it over.

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/backends/engine.hpp"
#include "simulator/output/hand_over.hpp"
#include "simulator/output/potentials.hpp"

namespace hillock::simulator {

/// What an epoch makes.
struct Made {
  EpochResult result;
  // [report], one of them where the result's buffers point:
  std::vector<std::vector<double>> rows;  ///< what goes to the sink, or an engine's sums
  std::vector<CurrentRows> currents;      ///< that potentials are still to be made of
  bool is_collected = true;
  double end_ms = 0;  ///< of the epoch
};

/// What the epochs since the last take() made.
class CollectedOutput {
 public:
  /// relays: cells, [first, behind), whose spikes are not counted.
  explicit CollectedOutput(std::vector<std::pair<CellId, CellId>> relays)
      : relays_(std::move(relays)) {}

  /// How many spikes there are.
  std::uint64_t count_of(const network::SpikeLists& lists) const;
  /// keeps_spikes: the epoch's are still to be told of, and stay there.
  void add(Made& made, bool keeps_spikes);
  /// Whether there will be as much as is handed over at once, by one of so many ranks, when that is
  /// added, and `more` bytes: a short epoch makes little.
  bool has_block(const Made& made, int ranks, std::size_t more) const;
  Output take();

  std::uint64_t spike_count = 0;  ///< of the whole run
  double until_ms = 0;            ///< all until then has been added

 private:
  Output output_;
  std::vector<std::pair<CellId, CellId>> relays_;
  std::chrono::steady_clock::time_point taken_;
};

}  // namespace hillock::simulator
