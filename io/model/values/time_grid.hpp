#pragma once
// Times that must fall on time steps.

#include <cstdint>
#include <string>

namespace hillock::io {

/// The step nearest to a time.
std::int64_t nearest_step(double time_ms, double dt_ms);

/// True when the time is a whole number of steps, to one part in 1e9.
bool is_whole_steps(double time_ms, double dt_ms);

/// Why a time is not a whole number of steps, with the nearest that is; empty when it is.
std::string whole_steps_problem(double time_ms, double dt_ms);

}  // namespace hillock::io
