#pragma once
// What weights and delays become in a synapse, on host and device. Includes no standard header.

#include "network/arrival.hpp"

namespace hillock::network {

/// A delay in the run's steps, run_steps of which are one of the target's, so that a spike at step
/// n of the run arrives before the target's step (n + delay) / run_steps, rounded down: the nearest
/// to the delay after the spike, and one that begins after the spike. delay_ms: not negative.
HILLOCK_FUNCTION long long delay_steps(double delay_ms, double step_ms, long long run_steps) {
  // What a conversion drops is what floor() would.
  const auto steps =
      static_cast<long long>(boundary_of(delay_ms, step_ms) * static_cast<double>(run_steps));
  return steps < run_steps ? run_steps : steps;
}

/// The multiple of a spacing that is next to a weight, halves to the even one: below 2^31.
HILLOCK_FUNCTION int multiple_of_spacing(double weight, double spacing) {
  constexpr double to_integer = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to an integer
  return static_cast<int>((weight / spacing + to_integer) - to_integer);
}

}  // namespace hillock::network
