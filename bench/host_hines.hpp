#pragma once
// The CPU's columns of every table of trees: one core, all cores, and SIMD lanes on all cores.

#include <cmath>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "solver/batch.hpp"

namespace hillock::bench {

class Session;

/// A way to solve on the CPU, its time for the whole batch and its error over the bound.
struct HostResult {
  std::string variant;  ///< "cpu-serial", "cpu-openmp", "cpu-lanes"
  Timing timing;
  double error = NAN;
};

/// Empty when the table is not to measure the CPU, or its memory does not suffice.
/// kappa: couplings over the diagonal's excess, for the bound.
template <class T>
std::vector<HostResult> measure_on_host(Session& session, const std::string& what,
                                        const solver::Forest& shape,
                                        const solver::BatchValues<T>& values, double kappa);

/// Bytes that measure_on_host needs besides the values.
template <class T>
std::size_t host_bytes(const solver::Forest& shape) {
  return 6 * shape.total() * sizeof(T);  // a copy to solve in, and one of lanes
}

/// Microseconds of a variant; not a number where it was not measured.
inline double us_of(const std::vector<HostResult>& results, const std::string& variant) {
  for (const auto& r : results)
    if (r.variant == variant) return r.timing.us;
  return NAN;
}

}  // namespace hillock::bench
