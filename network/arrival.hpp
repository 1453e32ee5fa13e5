#pragma once
// Whether an event has come, on host and device. Includes no standard header, so that NVRTC can
// compile it.

#include "core/simd/targets.hpp"

namespace hillock::network {

/// What a delay of 0 counts as where 0 says that there is none.
inline constexpr double least_told_ms = 1e-9;

/// Where a time lies among the boundaries of steps; its whole part is the nearest of them. Exactly
/// half a step goes to the later one; a millionth of a step is round-off: times are sums of steps
/// and delays.
HILLOCK_FUNCTION double boundary_of(double time_ms, double dt_ms) {
  return time_ms / dt_ms + 0.5 + 1e-6;
}

/// Whether the step boundary nearest to a time is `step` or an earlier one.
HILLOCK_FUNCTION bool arrives_by(long long step, double time_ms, double dt_ms) {
  return boundary_of(time_ms, dt_ms) < static_cast<double>(step + 1);
}

}  // namespace hillock::network
