#pragma once
// When a cell spikes. For any engine; includes no standard header, so that NVRTC can compile it.

#include "core/simd/targets.hpp"

namespace hillock::simulator::step {

/// A cell spikes in the step in which its detector's voltage rises above the threshold. When, in
/// ms: at the boundary before `step`, where that step ends, or where the voltage, a straight line
/// from `before` to `now`, passed it.
HILLOCK_FUNCTION double spike_ms(long long step, double threshold_mV, double before, double now,
                                 bool interpolates, double dt_ms) {
  double steps = static_cast<double>(step);
  if (interpolates && step > 0)
    steps = static_cast<double>(step - 1) + (threshold_mV - before) / (now - before);
  return steps * dt_ms;
}

}  // namespace hillock::simulator::step
