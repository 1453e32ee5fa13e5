#pragma once

#include <chrono>

namespace hillock::simulator {

/// Adds the wall time from its making to its end to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s), start_(clock::now()) {}
  ~Stopwatch() { sum_s_ += std::chrono::duration<double>(clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using clock = std::chrono::steady_clock;
  double& sum_s_;
  clock::time_point start_;
};

}  // namespace hillock::simulator
