#pragma once
// When a run is saved, so that it can be resumed: as the user asked, and when a stop signal comes.

#include <chrono>
#include <cstdint>
#include <string>

namespace hillock::command {

/// What --checkpoint-every and --checkpoint-wall say.
struct CheckpointOptions {
  std::string every;  ///< biological time, "100 ms"; empty: none
  std::string wall;   ///< "10 min"; empty: none

  bool any() const { return !every.empty() || !wall.empty(); }
};

/// When checkpoints are wanted. Throws UsageError for a time that is none.
class CheckpointTimes {
 public:
  CheckpointTimes(const CheckpointOptions& options, double dt_ms);

  bool any() const { return every_steps_ > 0 || wall_s_ > 0; }
  std::int64_t every_steps() const { return every_steps_; }
  /// Whether the time since the last one is over, or a stop signal has come.
  bool is_due() const;
  /// Whether a signal has come, and no checkpoint since.
  bool awaits_last() const;
  void note_checkpoint();

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t every_steps_ = 0;
  double wall_s_ = 0;
  Clock::time_point last_ = Clock::now();
  bool is_last_done_ = false;
};

}  // namespace hillock::command
