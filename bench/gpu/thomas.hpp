#pragma once
// The GPU's columns of the tables thomas and thomas-variable. Plain C++; defined in builds with
// CUDA alone. All throw DeviceError when CUDA fails.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "solver/batches/thomas/choice.hpp"

namespace hillock::bench {

struct ThomasResult {
  std::string variant, layout;
  Timing timing;
  int numbers_moved = 5;  ///< a row, by this method
  double extra_bytes = 0;
  double error = NAN;          ///< over the bound; of conversions not a number
  double conversion_us = NAN;  ///< thomas-variable: from compact to this layout
  double storage_bytes = NAN, table_bytes = NAN;
};

/// All layouts, kernels, conversions and peers on systems of one length.
template <class Real>
std::vector<ThomasResult> measure_thomas(std::size_t rows, std::size_t systems);

/// Every split that holds such systems.
struct ThomasTuning {
  solver::ThomasSplit split;
  int warps = 0, blocks = 0;
  Timing timing;
};
template <class Real>
std::vector<ThomasTuning> tune_thomas(std::size_t rows, std::size_t systems);

/// The paper's two paddings and ours on systems of these lengths.
template <class Real>
std::vector<ThomasResult> measure_thomas_variable(const std::vector<std::uint32_t>& sizes);

}  // namespace hillock::bench
