#pragma once
// Times of repeated work, and the host's clock. The GPU's: bench/gpu/clock.cuh.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace hillock::bench {

/// Microseconds of one piece of work: the median of several repeats.
struct Timing {
  double us = NAN, least_us = NAN, most_us = NAN;
  int repeats = 0;
  std::size_t sets = 1;  ///< sets of values solved one after the other in a repeat
};

inline Timing summary(std::vector<double> us, std::size_t sets = 1) {
  if (us.empty()) return {};
  std::sort(us.begin(), us.end());
  return {us[us.size() / 2], us.front(), us.back(), static_cast<int>(us.size()), sets};
}

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Wall clock of work(); restore() before every repeat is not timed. Stops after `enough` repeats
/// (short ones go on for 20 ms, so that a disturbance does not make the median), or after budget_s
/// seconds; the first repeat warms up where there is a second.
template <class Restore, class Work>
Timing time_on_host(const Restore& restore, const Work& work, int enough, double budget_s) {
  std::vector<double> us;
  const double start = seconds();
  for (int repeat = 0; repeat <= enough || seconds() - start < 0.02; ++repeat) {
    restore();
    const double begin = seconds();
    work();
    us.push_back((seconds() - begin) * 1e6);
    if (seconds() - start > budget_s) break;
  }
  if (us.size() > 1) us.erase(us.begin());
  return summary(us);
}

}  // namespace hillock::bench
