#include "network/events.hpp"

#include <cmath>

namespace hillock::network {

std::int64_t arrival_step(double time_ms, double dt_ms) {
  return static_cast<std::int64_t>(std::floor(boundary_of(time_ms, dt_ms)));
}

}  // namespace hillock::network
