#pragma once
// The GPU's columns of the tables branch and contraction. Plain C++; defined in builds with CUDA
// alone. All throw DeviceError when CUDA fails.

#include <cmath>
#include <string>
#include <vector>

#include "bench/drawn_cells.hpp"

namespace hillock::bench {

struct BranchResult {
  std::string variant;
  double solve_us = NAN, with_permutation_us = NAN;
  double error = NAN;  ///< over the bound
  int levels = 0, path = 0;
  double storage_ratio = NAN;  ///< places over compartments
};

/// One thread a cell first, then the variants of one thread a branch. cells: a multiple of the
/// drawn ones.
std::vector<BranchResult> measure_branch(const DrawnCells& drawn, std::size_t cells);

struct ContractionResult {
  std::string family, variant;
  double repeated_us = NAN;  ///< a solve of those repeated in one kernel
  double single_us = NAN;    ///< a launch of one solve
  double error = NAN;        ///< over the bound, after one solve and after three
};

/// All drawn cells have one tree. quick: fewer variants of the branch solver.
std::vector<ContractionResult> measure_contraction(const DrawnCells& drawn, std::size_t cells,
                                                   bool quick);

}  // namespace hillock::bench
