#pragma once
// A loop shared over threads. Results must not depend on which thread runs which iteration.

#include <cstddef>
#include <functional>

namespace hillock::simulator {

/// Calls body(0) … body(count - 1), each once, on up to `threads` threads (OpenMP).
/// Throws std::system_error when so many cannot be started.
/// When bodies throw, the exception of the lowest iteration is thrown again after all have ended.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

/// Cores this process may use.
int available_threads();

}  // namespace hillock::simulator
