#pragma once
// When a cell spikes. For any engine; includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

/// A cell spikes in the step in which its detector's voltage rises above the threshold. When, in
/// ms: at the boundary before `step`, where that step ends, or where the voltage, a straight line
/// from `before` to `now`, passed it.
HILLOCK_FUNCTION double spike_ms(long long step, double boundary_ms, double threshold_mV,
                                 double before, double now, bool interpolates, double dt_ms) {
  if (!interpolates || step <= 0) return boundary_ms;
  return (static_cast<double>(step - 1) + (threshold_mV - before) / (now - before)) * dt_ms;
}

}  // namespace hillock::simulator::step
