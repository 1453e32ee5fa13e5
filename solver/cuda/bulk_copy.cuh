#pragma once
// Hopper's asynchronous copies between global and shared memory, the barriers that count their
// bytes, and the overlap of kernels of one stream. Only .cu files include this.

#include <cuda_runtime.h>

#include <cstdint>

namespace hillock::solver {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Picks one lane of a converged warp, always the same; what only it does compiles without a loop
/// over lanes, unlike `lane == 0`.
__device__ __forceinline__ bool elect_one() {
  std::uint32_t chosen;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}"
               : "=r"(chosen));
  return chosen != 0;
}

/// A barrier that one arrival and the bytes announced with it complete.
__device__ __forceinline__ void init_barrier(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

/// After init_barrier, before the first copy: the copy engine must see the barriers.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Opens a phase that ends when `bytes` have arrived.
__device__ __forceinline__ void expect_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// Until the phase of this parity has ended; the first phase has parity 0.
__device__ __forceinline__ void wait_phase(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n .reg .pred done;\n"
      "again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      " @!done bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// Both addresses and the size are multiples of 16 bytes.
__device__ __forceinline__ void load_bulk(void* to_shared, const void* from_global,
                                          std::uint32_t bytes, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// As load_bulk; a group of its own.
__device__ __forceinline__ void store_bulk(void* to_global, const void* from_shared,
                                           std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to_global)),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Until shared memory may be written again where this thread's store_bulk() read it.
__device__ __forceinline__ void wait_for_stores_to_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/// Orders this thread's ordinary writes to shared memory before later copies by the copy engine.
__device__ __forceinline__ void fence_shared_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// The same for its writes to global memory too.
__device__ __forceinline__ void fence_all_writes() {
  asm volatile("fence.proxy.async;" ::: "memory");
}

/// One number, of 4 or 8 bytes, whatever its alignment to 16.
template <class Real>
__device__ __forceinline__ void load_single(Real* to_shared, const Real* from_global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to_shared)),
               "l"(__cvta_generic_to_global(from_global)), "n"(sizeof(Real))
               : "memory");
}

__device__ __forceinline__ void wait_for_single_loads() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// The next kernel of the stream may be set up already (programmatic dependent launch) …
__device__ __forceinline__ void let_next_kernel_start() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
/// … and waits here until this one is done and its writes are seen.
__device__ __forceinline__ void wait_for_last_kernel() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace hillock::solver
