#pragma once
// The GPU's columns of the table stone. Plain C++; defined in builds with CUDA alone.
// Throws DeviceError when CUDA fails.

#include <cmath>
#include <vector>

#include "solver/batches/stone/host.hpp"

namespace hillock::bench {

struct StoneResult {
  solver::BackSubstitution back;
  int team = 32;                            ///< threads that share a trace
  double us = NAN, single_launch_us = NAN;  ///< a solve of 100 in one kernel, and of one alone
};

template <class T>
struct StoneMeasured {
  std::vector<StoneResult> results;
  std::vector<std::vector<T>> solutions;  ///< of each result, as the tree numbers its compartments
};

/// Both methods by teams of 32 and 256.
template <class T>
StoneMeasured<T> measure_stone(const solver::Forest& forest, int traces,
                               const solver::BatchValues<T>& values);

}  // namespace hillock::bench
