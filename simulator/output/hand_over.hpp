#pragma once
// Hands what a run makes to its sink, on a thread of its own, while the run goes on.

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "network/spikes.hpp"
#include "simulator/output/run_sink.hpp"

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

  explicit HandOver(RunSink& sink);
  /// What was given is handed over before.
  ~HandOver();
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  /// Waits until what was given before is handed over. Throws what the sink threw.
  void give(Output output);
  /// Waits until all is handed over, too. Throws what the sink threw.
  void finish();

 private:
  void serve();
  void pass_to_sink(Output output);
  void rethrow();

  RunSink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Output waiting_;
  bool has_output_ = false, is_busy_ = false, is_over_ = false;
  bool has_failed_ = false;  ///< the sink is not called again
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace hillock::simulator
