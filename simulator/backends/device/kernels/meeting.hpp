#pragma once
// Some threads of a block meet, while others go on. Code for the host has its own of these.

namespace hillock::simulator::on_device {

#if defined(__CUDACC__)
/// barrier: one of a block's 16; threads: how many come to it, whole warps. A warp's threads may
/// come from different places of the code.
inline __device__ void meet(unsigned barrier, unsigned threads) {
  __syncwarp();
  asm volatile("barrier.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}
/// Before a thread looks again.
inline __device__ void look_again() {}
/// Between what a block's threads did and a counter that tells others of it; and between a counter
/// and what it tells of. Weaker than __threadfence(), which also orders what several threads tell.
inline __device__ void order_memory() {
  asm volatile("fence.acq_rel.gpu;" : : : "memory");
}
/// What a launch asks for of a block's own memory.
inline __device__ double* block_memory() {
  extern __shared__ double of_block[];
  return of_block;
}
/// Reads what nobody asks for again soon.
template <class Number>
inline __device__ Number read_once(const Number* at) {
  return __ldcs(at);
}
#endif

}  // namespace hillock::simulator::on_device
