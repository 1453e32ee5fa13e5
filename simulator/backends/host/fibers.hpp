#pragma once
// The threads of a block, one after the other on one thread of the host: each runs until it meets a
// barrier.

#include <functional>

namespace on_host {

/// Blocks whose threads wait for one another.
struct Blocks {
  unsigned blocks = 1, threads = 0;
};

/// Runs body(block, thread) for all threads of blocks. before(block, thread) is called whenever one
/// goes on. Warps of several blocks go on now and then, each at a speed of its own. Throws
/// std::logic_error when some wait for others that have ended.
void run_blocks(const Blocks& blocks, const std::function<void(unsigned, unsigned)>& before,
                const std::function<void(unsigned, unsigned)>& body);

/// Barriers, for the thread that runs.
void sync_block();
void sync_warp();
/// Others run first; then it goes on.
void let_others();

}  // namespace on_host
