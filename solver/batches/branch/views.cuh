#pragma once
// What the kernels of the fine-grained Hines solver are handed: blocks of a plan, and where the
// values of one lie while it is solved.

#include <cuda_runtime.h>

#include <cstdint>

#include "solver/arithmetic.hpp"
#include "solver/cuda/meet.cuh"

namespace hillock::solver::branch {

inline constexpr int barrier_period = 14;
inline constexpr int most_threads = 512;  ///< of a block; wider levels take turns
inline constexpr int rows_together = 4;   ///< of a branch, whose reciprocals overlap

/// A level's fourth word: warps that meet below it, their barrier, whether an inbox has more than
/// four entries, the longest branch.
inline constexpr int more_entries = 1 << 9, longest_shift = 10;

template <class Real>
struct PatternView {
  const int4* items = nullptr;   ///< [branches+1] length, parent's slot, give, inbox start
  const int4* levels = nullptr;  ///< [levels] first branch, width, storage, the word above
  const int* slot = nullptr;
  const int* coupling_of = nullptr;
  const Real* coupling = nullptr;  ///< [storage]
  int level_count = 0, branches = 0, storage = 0, nodes = 0, entries = 0;
};

template <class Real>
struct BranchArguments {
  const PatternView<Real>* patterns;
  const int* pattern_of;          ///< [block]
  const std::size_t* first_node;  ///< [block]
  const std::size_t* first_slot;  ///< [block]
  const Real* diagonal;
  Real* rhs;
  const Real* coupling;  ///< per system, natural order, or null
  Real* scratch;  ///< of the global kernel: factors and couplings in the layout, then inboxes
  const std::size_t* first_entry;  ///< [block] in the inboxes
  std::size_t all_storage;
  bool natural;
  int repeats;
  int blocks;
};

/// The values of a block while it is solved, in shared memory: what is read together lies together.
template <class Real>
struct SharedValues {
  using Pair = solver::Pair<Real>;
  Pair* matrix;  ///< (diagonal, coupling)
  Pair* state;   ///< (right-hand side, then solution; factor)
  Pair* inbox;
  __device__ void row(int s, Real& d, Real& b, Real& a) const {
    const Pair m = matrix[s];
    d = m.x;
    a = m.y;
    b = state[s].x;
  }
  __device__ void eliminated(int s, Real x, Real factor) const { state[s] = Pair{x, factor}; }
  __device__ void factors(int s, Real& x, Real& factor) const {
    const Pair both = state[s];
    x = both.x;
    factor = both.y;
  }
  __device__ Real solution(int s) const { return state[s].x; }
  __device__ void solved(int s, Real x) const { state[s].x = x; }
};

/// The same in device memory.
template <class Real>
struct GlobalValues {
  using Pair = solver::Pair<Real>;
  const Real* diagonal;
  const Real* coupling;
  Real* x;
  Real* factor;
  Pair* inbox;
  __device__ void row(int s, Real& d, Real& b, Real& a) const {
    d = diagonal[s];
    b = x[s];
    a = coupling[s];
  }
  __device__ void eliminated(int s, Real value, Real f) const {
    x[s] = value;
    factor[s] = f;
  }
  __device__ void factors(int s, Real& value, Real& f) const {
    value = x[s];
    f = factor[s];
  }
  __device__ Real solution(int s) const { return x[s]; }
  __device__ void solved(int s, Real value) const { x[s] = value; }
};

/// A branch's item and where its inbox ends.
struct Item {
  int4 own{0, -1, -1, 0};
  int inbox_end = 0;
};

/// Meets the threads that work on the level or the next one.
template <bool one_warp>
__device__ inline void meet(int4 level) {
  __syncwarp();
  if constexpr (one_warp) return;
  const int threads = 32 * (level.w & 31);
  if (threads >= static_cast<int>(blockDim.x))
    __syncthreads();
  else if (threads > 32 && static_cast<int>(threadIdx.x) < threads)
    asm volatile("barrier.sync %0, %1;" ::"r"(level.w >> 5 & 15), "r"(threads) : "memory");
}

}  // namespace hillock::solver::branch
