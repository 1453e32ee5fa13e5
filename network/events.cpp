#include "network/events.hpp"

#include <cmath>

namespace hillock::network {

std::int64_t arrival_step(double time_ms, double dt_ms) {
  return static_cast<std::int64_t>(std::floor(time_ms / dt_ms + 0.5 + 1e-6));
}

bool arrives_by(std::int64_t step, double time_ms, double dt_ms) {
  return time_ms / dt_ms + 0.5 + 1e-6 < static_cast<double>(step + 1);
}

}  // namespace hillock::network
