#pragma once
// The GPU's columns of the tables of Hines batches. Plain C++; defined in builds with CUDA alone.
// All throw DeviceError when CUDA fails.

#include <cmath>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"

namespace hillock::bench {

struct HinesVariant {
  solver::HinesArrangement arrangement;
  std::string name;  ///< empty: the arrangement's own
  solver::StreamTuning tuning;
};

struct HinesResult {
  std::string variant;
  Timing timing;
  double arrange_us = NAN, gather_us = NAN;
  double error = NAN;       ///< over the bound, against long double
  double difference = NAN;  ///< from the first variant
};

/// Each variant on the values of bench/hines_values.hpp, on device 0.
template <class T>
std::vector<HinesResult> measure_hines(const solver::Forest& shape,
                                       const std::vector<HinesVariant>& variants);

struct DevicesResult {
  double us = NAN;     ///< wall clock of one solve
  double error = NAN;  ///< over the bound, the worst of all devices
};

/// Solves (streamed) of a batch cut over devices, a host thread each; `in_flight` sets of values at
/// once, each on a stream of its own.
template <class T>
DevicesResult measure_devices(const solver::Forest& shape, int n_devices, int solves,
                              int in_flight);

}  // namespace hillock::bench
