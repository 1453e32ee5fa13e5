#pragma once
// Whether an event has come, on host and device. Includes no standard header, so that NVRTC can
// compile it.

#include "core/simd/targets.hpp"

namespace hillock::network {

/// What a delay of 0 counts as where 0 says that there is none.
inline constexpr double least_told_ms = 1e-9;

/// How far behind the boundary of a run with a clock its spikes are, as NEURON's: so they meet
/// others' in NEURON's order, which sums of steps decide.
inline constexpr double behind_the_clock_ms = 1e-10;

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

/// The boundaries of a run's steps: multiples of dt or, from a step on, what a clock says, which is
/// a sum of half steps as NEURON's. It decides then to the last bit, as NEURON does, in which step
/// an event comes: the first whose middle is no earlier.
struct Boundaries {
  double dt_ms = 0;
  const double* clock_ms = nullptr;  ///< [boundary from clock_begins on, so many] or null
  long long clock_begins = 0, clock_size = 0;

  HILLOCK_FUNCTION const double* clock_at(long long step) const {
    const long long k = step - clock_begins;
    return k >= 0 && k < clock_size ? clock_ms + k : nullptr;
  }
  HILLOCK_FUNCTION double boundary_ms(long long step) const {
    const double* const at = clock_at(step);
    return at ? *at : static_cast<double>(step) * dt_ms;
  }
  HILLOCK_FUNCTION double middle_ms(long long step) const {
    const double* const at = clock_at(step);
    return at ? *at + 0.5 * dt_ms : (static_cast<double>(step) + 0.5) * dt_ms;
  }
  /// That of spikes at a boundary.
  HILLOCK_FUNCTION double spike_boundary_ms(long long step) const {
    return boundary_ms(step) + (clock_at(step) ? behind_the_clock_ms : 0);
  }
  /// The last that comes before what is looked at as the step begins.
  HILLOCK_FUNCTION double before_look_ms(long long step) const {
    return boundary_ms(step) + (clock_at(step) ? 0 : 1e-6 * dt_ms);  // times are sums
  }

  /// Whether an event comes in `step` or an earlier one.
  HILLOCK_FUNCTION bool arrives_by(long long step, double time_ms) const {
    const double* const at = clock_at(step);
    return at ? time_ms <= *at + 0.5 * dt_ms : network::arrives_by(step, time_ms, dt_ms);
  }
  HILLOCK_FUNCTION long long step_of(double time_ms) const {
    const double boundary = boundary_of(time_ms, dt_ms);
    auto step = static_cast<long long>(boundary);
    if (boundary < static_cast<double>(step)) --step;
    if (clock_size == 0) return step;
    if (clock_at(step - 1) && arrives_by(step - 1, time_ms)) return step - 1;
    return clock_at(step) && !arrives_by(step, time_ms) ? step + 1 : step;
  }
  /// When what a spike sends arrives. With a delay of a step or more that is no sooner than in the
  /// step behind the one in which it was sent, whatever a clock's sums are rounded to.
  HILLOCK_FUNCTION double arrival_ms(double sent_ms, double delay_ms) const {
    const double time_ms = sent_ms + delay_ms;
    if (clock_size == 0 || delay_ms < dt_ms * (1 - 1e-9)) return time_ms;
    const long long step = step_of(time_ms);
    if (!clock_at(step - 1) || arrives_by(step - 1, sent_ms)) return time_ms;
    return (boundary_ms(step) + 0.5 * dt_ms) * (1 + 0x1p-52);
  }
};

}  // namespace hillock::network
