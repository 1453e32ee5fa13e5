#pragma once
// Some threads of a block meet, while others go on. Code for the host has its own of these.

namespace hillock::simulator::cuda {

#if defined(__CUDACC__)
/// barrier: one of a block's 16; threads: how many come to it, whole warps.
inline __device__ void meet(unsigned barrier, unsigned threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}
/// Before a thread looks again.
inline __device__ void look_again() {}
#endif

}  // namespace hillock::simulator::cuda
