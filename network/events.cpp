#include "network/events.hpp"

namespace hillock::network {

std::int64_t arrival_step(double time_ms, double dt_ms) {
  return Boundaries{dt_ms}.step_of(time_ms);
}

}  // namespace hillock::network
