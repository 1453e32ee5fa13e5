#pragma once
// Draws of stimuli for many cells in one step (mechanisms/runtime/step_draws.hpp), in loops that
// are compiled once for each instruction set (core/simd/isa.hpp).

#include <cstddef>
#include <cstdint>

#include "core/simd/isa.hpp"

namespace hillock::mechanisms {

/// For whom a stimulus draws.
struct StepDraws {
  std::uint64_t seed = 0;
  std::uint32_t stimulus = 0;
  std::uint64_t step = 0;
  const std::uint64_t* cells = nullptr;  ///< [count], rising
  std::size_t count = 0;
};

struct StepDrawLoops {
  /// draws: [cell] of mean 0 and standard deviation 1.
  void (*normal)(const StepDraws&, double* draws) = nullptr;
  /// counts: [cell] of events. mean: of cell i mean[i * stride], at most 600.
  void (*poisson)(const StepDraws&, const double* mean, std::size_t stride,
                  double* counts) = nullptr;
  /// to[i] += mean[i * mean_stride] + sd[i * sd_stride] * draws[i] for all below count. Strides: 0
  /// or 1.
  void (*add_scaled)(const double* mean, std::size_t mean_stride, const double* sd,
                     std::size_t sd_stride, const double* draws, std::size_t count,
                     double* to) = nullptr;
};

const StepDrawLoops& step_draw_loops(Isa isa);

// Those of each set.
const StepDrawLoops& step_draw_loops_baseline();
const StepDrawLoops& step_draw_loops_avx2();
const StepDrawLoops& step_draw_loops_avx512();

}  // namespace hillock::mechanisms
