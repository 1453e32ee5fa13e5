#pragma once
// When events arrive, and from whom.

#include <cstdint>

namespace hillock::network {

/// The step boundary nearest to a time; exactly half a step goes to the later one.
/// A millionth of a step is round-off: times are sums of steps and delays.
std::int64_t arrival_step(double time_ms, double dt_ms);

/// Whether that step boundary is `step` or an earlier one.
bool arrives_by(std::int64_t step, double time_ms, double dt_ms);

/// Sources of stimuli come after all cells in the order of events.
inline constexpr std::uint64_t first_stimulus_source = std::uint64_t{1} << 63;

}  // namespace hillock::network
