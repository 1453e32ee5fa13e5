#pragma once
// Tells on standard error how far a run is: one line rewritten on a terminal, one a minute
// elsewhere.

#include <chrono>

#include "simulator/simulation.hpp"

namespace hillock::command {

class ProgressLine {
 public:
  explicit ProgressLine(double dt_ms);
  void update(const simulator::Progress& progress);
  /// Leaves the terminal's line clear for what follows.
  void finish();

 private:
  using clock = std::chrono::steady_clock;
  double dt_ms_;
  bool on_terminal_;
  bool drawn_ = false;
  clock::time_point start_;
  clock::time_point next_;
};

/// "1:02:03" or "4:05" for seconds.
std::string clock_text(double seconds);

}  // namespace hillock::command
