#pragma once
// The kernels of the fine-grained Hines solver. Only branch_device.cu includes this.
//
// A block of threads solves one block of the plan, level by level: thread j takes branch j of the
// level (and j + threads, … where a level is wider). Upwards a thread eliminates its branch from
// the tip, keeping d and b in registers, and leaves its sum in the inbox of the branch above;
// downwards it substitutes. Layout: solver/branch/plan.hpp; places that neighbouring threads read
// are neighbours, so reads are coalesced and free of bank conflicts.
//
// Shared memory of a block:  inbox | items | levels | (diagonal, coupling) pairs | (x, factor)
// pairs
//
// Between two levels only the warps that work on either of them meet (named barriers 1 … 14, every
// 14th level all warps); where that is one warp, it is a warp barrier.
//
// Deterministic: every place has one writer a pass, every inbox is added up in the plan's order.

#include <cuda_runtime.h>

#include <cstdint>

#include "solver/contraction/reciprocal.cuh"

namespace hillock::solver::branch {

inline constexpr int barrier_period = 14;
inline constexpr int most_threads = 512;  ///< of a block; wider levels take turns
inline constexpr int together = 4;        ///< compartments of a branch whose values are read ahead

template <class Real>
struct PatternView {
  const int4* items = nullptr;  ///< [branches+1] length, parent's place, give, inbox start
  const int4* levels =
      nullptr;  ///< [levels] first branch, width, storage, threads | barrier << 16 below
  const int* place = nullptr;
  const int* coupling_of = nullptr;
  const Real* coupling = nullptr;  ///< [storage]
  int level_count = 0, branches = 0, storage = 0, nodes = 0, entries = 0;
};

template <class Real>
struct BranchArguments {
  const PatternView<Real>* patterns;
  const int* pattern_of;           ///< [block]
  const std::size_t* first_node;   ///< [block]
  const std::size_t* first_place;  ///< [block]
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
  using Pair = typename PairOf<Real>::type;
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
  using Pair = typename PairOf<Real>::type;
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

/// What a thread can read of its branch before the branches below or above are done.
template <class Real>
struct Start {
  int4 item{0, -1, -1, 0};
  int inbox_end = 0;
  int place = 0;
  Real d = 0, b = 0, a = 0;
};

/// Multiplies both by the power of two that brings p between 1 and 2. Exact.
__device__ inline void into_range(double& p, double& o) {
  const int exponent = __double2hiint(p) >> 20 & 0x7ff;
  const double scale = __hiloint2double((2046 - exponent) << 20, 0);
  p *= scale;
  o *= scale;
}

/// A branch's item and where its inbox ends.
struct Item {
  int4 own{0, -1, -1, 0};
  int inbox_end = 0;
};

__device__ inline Item item_at(const int4* items, int4 level, int j) {
  Item item;
  if (j >= level.y) return item;
  item.own = items[level.x + j];
  item.inbox_end = items[level.x + j + 1].w;
  return item;
}

template <class Real, class Memory>
__device__ inline Start<Real> start_up(const Memory& m, const Item& item, int4 level, int j) {
  Start<Real> start;
  if (j >= level.y) return start;
  start.item = item.own;
  start.inbox_end = item.inbox_end;
  start.place = level.z + j + (item.own.x - 1) * level.y;
  m.row(start.place, start.d, start.b, start.a);
  return start;
}

/// Eliminates a branch from its tip, when those below it have given their sums.
///
/// A pivot is kept as numerator over denominator: d = p/o, so that on the way up, next_d − a²/d =
/// (next_d·p − a²·o)/p takes one dependent multiply-add a compartment; the reciprocals depend on
/// one another no more and overlap. Exact powers of two keep p and o in range. Single precision,
/// whose range is short and whose reciprocals are cheap, keeps d itself.
template <class Real, class Memory>
__device__ inline void eliminate(const Memory& m, const Start<Real>& start, int width) {
  using Pair = typename PairOf<Real>::type;
  constexpr bool as_fraction = sizeof(Real) == 8;
  int s = start.place, left = start.item.x - 1;
  Real p = start.d, o = 1, b = start.b, a = start.a;
  Real rows_d[together], rows_b[together], rows_a[together];
#pragma unroll
  for (int k = 0; k < together; ++k)
    if (k < left) m.row(s - (k + 1) * width, rows_d[k], rows_b[k], rows_a[k]);
  const int first = start.item.w, count = start.inbox_end - first;
  Pair given[4];  // read together, so that most branching points cost one latency
#pragma unroll
  for (int e = 0; e < 4; ++e) given[e] = e < count ? m.inbox[first + e] : Pair{0, 0};
  p -= (given[0].x + given[1].x) + (given[2].x + given[3].x);
  b += (given[0].y + given[1].y) + (given[2].y + given[3].y);
  for (int e = 4; e < count; ++e) {
    const Pair more = m.inbox[first + e];
    p -= more.x;
    b += more.y;
  }
  while (left > 0) {
    Real next_d[together], next_b[together], next_a[together];
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (k + together < left)
        m.row(s - (k + together + 1) * width, next_d[k], next_b[k], next_a[k]);
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (k < left) {
        const Real q = o * reciprocal(p), factor = a * q, squared = a * a;
        m.eliminated(s - k * width, b * q, factor);
        if constexpr (as_fraction) {
          const Real below = squared * o;
          o = p;
          p = rows_d[k] * p - below;
        } else {
          p = rows_d[k] - squared * q;
        }
        b = rows_b[k] + factor * b;
        a = rows_a[k];
      }
    if constexpr (as_fraction) into_range(p, o);
    s -= min(left, together) * width;
    left -= together;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      rows_d[k] = next_d[k];
      rows_b[k] = next_b[k];
      rows_a[k] = next_a[k];
    }
  }
  const Real q = o * reciprocal(p), factor = a * q;
  m.eliminated(s, b * q, factor);
  if (start.item.z >= 0) m.inbox[start.item.z] = Pair{a * factor, factor * b};
}

template <class Real, class Memory>
__device__ inline Start<Real> start_down(const Memory& m, const Item& item, int4 level, int j) {
  Start<Real> start;
  if (j >= level.y) return start;
  start.item = item.own;
  start.place = level.z + j;
  m.factors(start.place, start.b, start.a);
  return start;
}

/// Substitutes along a branch, when the one above it is done.
template <class Real, class Memory>
__device__ inline void substitute(const Memory& m, const Start<Real>& start, int width) {
  int s = start.place, left = start.item.x;
  Real x[together], factor[together];
  x[0] = start.b;
  factor[0] = start.a;
#pragma unroll
  for (int k = 1; k < together; ++k)
    if (k < left) m.factors(s + k * width, x[k], factor[k]);
  Real v = start.item.y < 0 ? Real(0) : m.solution(start.item.y);
  for (;;) {
    Real next_x[together], next_factor[together];
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (k + together < left)
        m.factors(s + (k + together) * width, next_x[k], next_factor[k]);
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (k < left) {
        v = x[k] + factor[k] * v;
        m.solved(s + k * width, v);
      }
    left -= together;
    if (left <= 0) break;
    s += together * width;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      x[k] = next_x[k];
      factor[k] = next_factor[k];
    }
  }
}

/// Meets the threads that work on the level or the next one.
__device__ inline void meet(int4 level) {
  const int threads = level.w & 0xffff;
  __syncwarp();
  if (blockDim.x == 32) return;
  if (threads >= static_cast<int>(blockDim.x))
    __syncthreads();
  else if (threads > 32 && static_cast<int>(threadIdx.x) < threads)
    asm volatile("barrier.sync %0, %1;" ::"r"(level.w >> 16), "r"(threads) : "memory");
}

/// What the next level needs of schedule and values is read a level ahead, so that after a barrier
/// only what others computed is left to read.
template <class Real, class Memory>
__device__ inline void solve_block(const Memory& m, const int4* items, const int4* levels,
                                   int count, int repeats) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    int4 level = levels[count - 1], above = levels[max(count - 2, 0)];
    Start<Real> start = start_up<Real>(m, item_at(items, level, thread), level, thread);
    Item item = item_at(items, above, thread);
    for (int l = count - 1;; --l) {
      const int4 after = levels[max(l - 2, 0)];
      Start<Real> next;
      if (l > 0) next = start_up<Real>(m, item, above, thread);
      if (thread < level.y) eliminate<Real>(m, start, level.y);
      for (int j = thread + threads; j < level.y; j += threads)
        eliminate<Real>(m, start_up<Real>(m, item_at(items, level, j), level, j), level.y);
      if (l == 0) break;
      item = item_at(items, after, thread);
      meet(above);
      start = next;
      level = above;
      above = after;
    }
    int4 below = levels[min(1, count - 1)];
    start = start_down<Real>(m, item_at(items, level, thread), level, thread);
    item = item_at(items, below, thread);
    for (int l = 0;; ++l) {
      const int4 after = levels[min(l + 2, count - 1)];
      Start<Real> next;
      if (l < count - 1) next = start_down<Real>(m, item, below, thread);
      if (thread < level.y) substitute<Real>(m, start, level.y);
      for (int j = thread + threads; j < level.y; j += threads)
        substitute<Real>(m, start_down<Real>(m, item_at(items, level, j), level, j), level.y);
      if (l == count - 1) break;
      item = item_at(items, after, thread);
      meet(level);
      start = next;
      level = below;
      below = after;
    }
    __syncwarp();
  }
}

template <class Real, bool in_shared>
__global__ void __launch_bounds__(most_threads) branch_kernel(const BranchArguments<Real> args) {
  using Pair = typename PairOf<Real>::type;
  extern __shared__ __align__(16) unsigned char memory[];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  int loaded = -1;  // pattern whose schedule is in shared memory
  for (int block = static_cast<int>(blockIdx.x); block < args.blocks;
       block += static_cast<int>(gridDim.x)) {
    const int pattern = args.pattern_of[block];
    const PatternView<Real> p = args.patterns[pattern];
    const std::size_t first_node = args.first_node[block], first_place = args.first_place[block];
    const std::size_t first = args.natural ? first_node : first_place;

    if constexpr (in_shared) {
      Pair* const inbox = reinterpret_cast<Pair*>(memory);
      int4* const items =
          reinterpret_cast<int4*>(memory + (p.entries * sizeof(Pair) + 15) / 16 * 16);
      int4* const levels = items + p.branches + 1;
      Pair* const matrix = reinterpret_cast<Pair*>(levels + p.level_count);
      Pair* const state = matrix + p.storage;
      if (pattern != loaded) {
        for (int i = thread; i <= p.branches; i += threads) items[i] = p.items[i];
        for (int l = thread; l < p.level_count; l += threads) levels[l] = p.levels[l];
        if (args.coupling == nullptr)
          for (int s = thread; s < p.storage; s += threads) matrix[s].y = p.coupling[s];
        loaded = pattern;
      }
      if (args.coupling != nullptr)
        for (int s = thread; s < p.storage; s += threads) {
          const int node = p.coupling_of[s];
          matrix[s].y = node >= 0 ? args.coupling[first_node + node] : Real(0);
        }
      const int count = args.natural ? p.nodes : p.storage;
      for (int i = thread; i < count; i += threads) {
        const int s = args.natural ? p.place[i] : i;
        matrix[s].x = args.diagonal[first + i];
        state[s].x = args.rhs[first + i];
      }
      __syncthreads();
      solve_block<Real>(SharedValues<Real>{matrix, state, inbox}, items, levels, p.level_count,
                        args.repeats);
      __syncthreads();
      for (int i = thread; i < count; i += threads)
        args.rhs[first + i] = state[args.natural ? p.place[i] : i].x;
      __syncthreads();
    } else {
      const Real* coupling = p.coupling;
      if (args.coupling != nullptr) {
        Real* const own = args.scratch + args.all_storage + first_place;
        for (int s = thread; s < p.storage; s += threads) {
          const int node = p.coupling_of[s];
          own[s] = node >= 0 ? args.coupling[first_node + node] : Real(0);
        }
        coupling = own;
        __syncthreads();
      }
      Pair* const inbox =
          reinterpret_cast<Pair*>(args.scratch + 2 * args.all_storage) + args.first_entry[block];
      solve_block<Real>(
          GlobalValues<Real>{args.diagonal + first_place, coupling, args.rhs + first_place,
                             args.scratch + first_place, inbox},
          p.items, p.levels, p.level_count, args.repeats);
      __syncthreads();  // the next block of the plan has other barriers
    }
  }
}

/// A block of threads moves one block's values between natural order and layout.
template <class Real, bool inwards>
__global__ void permute_kernel(const PatternView<Real>* patterns, const int* pattern_of,
                               const std::size_t* first_node, const std::size_t* first_place,
                               const Real* from, Real* to) {
  const PatternView<Real> p = patterns[pattern_of[blockIdx.x]];
  const std::size_t node = first_node[blockIdx.x], place = first_place[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < p.nodes; i += static_cast<int>(blockDim.x))
    if constexpr (inwards)
      to[place + p.place[i]] = from[node + i];
    else
      to[node + i] = from[place + p.place[i]];
}

}  // namespace hillock::solver::branch
