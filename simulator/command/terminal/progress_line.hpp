#pragma once
// Tells on standard error what the program does and how far it is: one line rewritten on a
// terminal; elsewhere a line after the first second of each phase, and then more and more rarely.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "simulator/threads/activity.hpp"

namespace hillock::command {

/// How long a phase will take yet, from how fast it was since its middle. Setting up says nothing
/// about running, and the beginning of a run little about the rest.
class TimeLeft {
 public:
  using Clock = simulator::Activity::Clock;
  /// Takes in that `done` of the phase was reached at a time; times rise.
  void reach(Clock::time_point when, double done);
  /// Seconds until `total`; negative where nothing is known.
  double seconds(double total) const;
  /// What is done a second; negative where nothing is known.
  double rate() const;

 private:
  std::deque<std::pair<Clock::time_point, double>> seen_;
};

class ProgressLine {
 public:
  enum class Shown { no, yes };
  ProgressLine(const simulator::Activity& activity, Shown shown);
  ~ProgressLine() { finish(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows no more, and leaves the terminal's line clear for what follows.
  void finish();

  /// Biological time of a step, and whose spikes are counted, which a run's line tells.
  void set_run(double dt_ms, std::uint64_t cells) {
    dt_ms_ = dt_ms;
    cells_ = cells;
  }
  /// Until now, since t = 0.
  void set_spikes(std::uint64_t spikes) { spikes_ = spikes; }

 private:
  using Clock = simulator::Activity::Clock;
  void watch();
  void look(Clock::time_point now);
  std::string text_of(const simulator::Activity::Look& phase, Clock::time_point now) const;

  const simulator::Activity& activity_;
  bool on_terminal_;
  std::atomic<double> dt_ms_ = 0;
  std::atomic<std::uint64_t> cells_ = 0;
  std::atomic<std::uint64_t> spikes_ = 0;
  std::uint64_t phase_ = 0;  ///< the number of the one that was shown last
  TimeLeft left_;
  bool drawn_ = false;
  Clock::time_point next_;      ///< when a line is due
  Clock::duration interval_{};  ///< to the one after it
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

/// A part of a line, and how much it tells.
struct ProgressPart {
  std::string text;
  int weight = 0;
};

/// The parts on one line of so many columns at most, 0 for any number; what tells least is left out
/// first.
std::string joined(std::vector<ProgressPart> parts, std::size_t columns);

/// "2040 ms/s": milliseconds of biological time that a second of wall time takes the run on.
std::string speed_text(double ms_per_s);

/// "1.6 Hz": spikes of a cell in a second of biological time.
std::string rate_text(double hz);

/// "1:02:03" or "4:05" for seconds.
std::string clock_text(double seconds);

}  // namespace hillock::command
