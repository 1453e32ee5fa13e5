#pragma once
// When events arrive, and from whom.

#include <cstdint>

#include "network/arrival.hpp"

namespace hillock::network {

/// The step boundary nearest to a time.
std::int64_t arrival_step(double time_ms, double dt_ms);

/// Sources of stimuli come after all cells in the order of events.
inline constexpr std::uint64_t first_stimulus_source = std::uint64_t{1} << 63;

}  // namespace hillock::network
