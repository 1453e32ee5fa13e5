#pragma once

#include <chrono>
#include <string_view>

#include "core/program/trace.hpp"

namespace hillock::simulator {

/// Adds the wall time from its making to its end to a sum, and tells a trace of it.
class Stopwatch {
 public:
  Stopwatch(double& sum_s, std::string_view what)
      : sum_s_(sum_s), start_(clock::now()), traced_(what) {}
  ~Stopwatch() { sum_s_ += std::chrono::duration<double>(clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using clock = std::chrono::steady_clock;
  double& sum_s_;
  clock::time_point start_;
  TracedWork traced_;
};

}  // namespace hillock::simulator
