#pragma once
// Threads that work on one system together: who they are to a function that is written for any
// number of them. Compiles for host and device, and with NVRTC.
//
// A team has rank(), from 0 on, size(), and sync(), which none of its threads leaves before all
// have come and after which each sees what the others wrote before it. Of its threads so many as
// squad(), which divides size(), are a squad by their rank, and may meet alone by sync_squad().

#include "solver/arithmetic.hpp"

/// Before a function that takes any team: it is of the device alone where the team is.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define HILLOCK_SOLVER_ANY_TEAM _Pragma("nv_exec_check_disable")
#else
#define HILLOCK_SOLVER_ANY_TEAM
#endif

namespace hillock::solver {

/// One thread alone.
struct TeamOfOne {
  HILLOCK_SOLVER_FUNCTION int rank() const { return 0; }
  HILLOCK_SOLVER_FUNCTION int size() const { return 1; }
  HILLOCK_SOLVER_FUNCTION int squad() const { return 1; }
  HILLOCK_SOLVER_FUNCTION void sync() const {}
  HILLOCK_SOLVER_FUNCTION void sync_squad() const {}
};

#ifdef __CUDACC__
/// A whole block of one dimension, of whole warps.
struct BlockTeam {
  __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ int squad() const { return 32; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
  __device__ __forceinline__ void sync_squad() const { __syncwarp(); }
};

/// A whole warp of a block of one dimension.
struct WarpTeam {
  __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x % 32); }
  __device__ __forceinline__ int size() const { return 32; }
  __device__ __forceinline__ int squad() const { return 32; }
  __device__ __forceinline__ void sync() const { __syncwarp(); }
  __device__ __forceinline__ void sync_squad() const { __syncwarp(); }
};
#endif

}  // namespace hillock::solver
