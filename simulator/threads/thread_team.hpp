#pragma once
// Threads that stay for the next piece of work.

#include <cstddef>
#include <functional>

namespace hillock::simulator {

/// Calls body(0) on the calling thread and body(t) for each t below `threads` on another one, and
/// waits for all. These others belong to the calling thread, are the same for every call, and end
/// with it: for a moment after a call they look for the next one, then they sleep. From within a
/// body there is no team: body(0) alone is called. body must not throw. Throws std::system_error
/// when a thread cannot be started; then nothing has been called.
void run_on_team(int threads, const std::function<void(std::size_t)>& body);

}  // namespace hillock::simulator
