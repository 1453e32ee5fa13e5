#pragma once
// When a cell spikes. For any engine; includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

/// How far behind the boundary of a run with a clock (RunConstants) its spikes are, as NEURON's: so
/// they meet others' in NEURON's order, which sums of steps decide.
inline constexpr double behind_the_clock_ms = 1e-10;

/// A cell spikes in the step in which its detector's voltage rises above the threshold. When, in
/// ms: at the boundary before `step`, where that step ends, or where the voltage, a straight line
/// from `before` to `now`, passed it.
HILLOCK_FUNCTION double spike_ms(long long step, double boundary_ms, double threshold_mV,
                                 double before, double now, bool interpolates, double dt_ms) {
  if (!interpolates || step <= 0) return boundary_ms;
  return (static_cast<double>(step - 1) + (threshold_mV - before) / (now - before)) * dt_ms;
}

}  // namespace hillock::simulator::step
