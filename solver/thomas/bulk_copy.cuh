#pragma once
// Asynchronous copies between global and shared memory. Only .cu files of this folder include this.

#include <cuda_runtime.h>

#include <cstdint>

namespace hillock::solver::thomas {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// A barrier that one arrival and the bytes announced with it complete.
__device__ __forceinline__ void barrier_init(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n .reg .pred done;\n"
      "again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      " @!done bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

/// bytes: a multiple of 16; both addresses on borders of 16 bytes.
__device__ __forceinline__ void bulk_load(void* to_shared, const void* from_global,
                                          std::uint32_t bytes, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ __forceinline__ void bulk_store(void* to_global, const void* from_shared,
                                           std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to_global)),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Until shared memory may be written again where bulk_store() read it.
__device__ __forceinline__ void bulk_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/// Before a bulk store, by every thread that wrote what it will read.
__device__ __forceinline__ void shared_writes_to_bulk() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// One number, of 4 or 8 bytes, whatever its alignment to 16.
template <class Real>
__device__ __forceinline__ void single_load(Real* to_shared, const Real* from_global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to_shared)),
               "l"(__cvta_generic_to_global(from_global)), "n"(sizeof(Real))
               : "memory");
}

__device__ __forceinline__ void single_load_wait() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace hillock::solver::thomas
