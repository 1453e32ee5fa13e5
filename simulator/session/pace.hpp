#pragma once
// How much the cells of a run spike.

#include <cstdint>

namespace hillock::session {

/// How often one of so many cells spikes in a second of biological time, in the mean.
inline double mean_rate_hz(std::uint64_t spikes, std::uint64_t cells, double time_ms) {
  return 1e3 * static_cast<double>(spikes) / (static_cast<double>(cells) * time_ms);
}

}  // namespace hillock::session
