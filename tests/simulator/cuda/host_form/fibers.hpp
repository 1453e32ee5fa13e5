#pragma once
// The threads of a block, one after the other on one thread of the host: each runs until it meets a
// barrier.

#include <functional>

namespace host_form {

/// Runs body(thread) for threads [0, count) of a block. before(thread) is called whenever one goes
/// on. Throws std::logic_error when some wait for others that have ended.
void run_block(unsigned count, const std::function<void(unsigned)>& before,
               const std::function<void(unsigned)>& body);

/// Barriers, for the thread that runs.
void sync_block();
void sync_warp();
/// Others run first; then it goes on.
void let_others();

}  // namespace host_form
