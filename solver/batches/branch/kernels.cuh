#pragma once
// The kernels of the fine-grained Hines solver. Only branch_device.cu includes this.
//
// A block of threads solves one block of the plan, level by level: thread j takes branch j of the
// level (and j + threads, … where a level is wider). Upwards a thread eliminates its branch from
// the tip, keeping d and b in registers, and leaves its sum in the inbox of the branch above;
// downwards it substitutes. Layout: solver/schedules/branch_plan.hpp; slots that neighbouring threads read
// are neighbours, so reads are coalesced and free of bank conflicts.
//
// Shared memory of a block:  inbox | items | levels | (diagonal, coupling) pairs | (x, factor)
// pairs
//
// In shared memory a warp walks along its branches in step, from the tip of the level's longest
// on; what lies beyond a shorter branch's tip counts as neutral (d = 1, a = 0, b = 0), so that rows
// need no jumps and their loads and reciprocals overlap.
//
// Between two levels only the warps that work on either of them meet (named barriers 1 … 14, every
// 14th level all warps); where that is one warp, it is a warp barrier.
//
// Deterministic: every slot has one writer a pass, every inbox is added up in the plan's order.

#include <cuda_runtime.h>

#include <cstdint>

#include "solver/arithmetic.hpp"

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

/// Multiplies both by the power of two that brings p between 1 and 2. Exact.
__device__ inline void into_range(double& p, double& t) {
  const int exponent = __double2hiint(p) >> 20 & 0x7ff;
  const double scale = __hiloint2double((2046 - exponent) << 20, 0);
  p *= scale;
  t *= scale;
}
__device__ inline void into_range(float&, float&) {}

/// What eliminating a branch hands from one compartment to the next nearer the root.
///
/// In double precision a pivot d is kept as a fraction p/o, which makes d' − a²/d
/// = (d'·p − a²·o)/p one dependent multiply-add; the reciprocals depend on one another no more. In
/// single precision, whose range is short and whose reciprocals are cheap, o = 1.
template <class Real>
struct Elimination {
  Real p = 1, t = 0;       ///< numerator of the pivot below; a²·o of it
  Real factor = 0, b = 0;  ///< a/d and right-hand side of it
  Real a = 0;
};

/// Eliminates N compartments of a branch, from number `row` (0 nearest the root) towards the root.
/// Beyond the tip a compartment is neutral: d = 1, a = 0, b = 0.
template <int N, class Real, class Memory, class Pair>
__device__ inline void eliminate_rows(const Memory& m, int slot, int width, int row, int length,
                                      Pair sum, Elimination<Real>& e) {
  Real d[N], b[N], a[N];
#pragma unroll
  for (int n = 0; n < N; ++n) {
    d[n] = 1;
    b[n] = a[n] = 0;
    if (row - n < length) m.row(slot - n * width, d[n], b[n], a[n]);
  }
#pragma unroll
  for (int n = 0; n < N; ++n)
    if (row - n == length - 1) {  // the tip, which takes what the branches below gave
      d[n] -= sum.x;
      b[n] += sum.y;
    }
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const Real squared = a[n] * a[n];
    Real p, q;
    if constexpr (sizeof(Real) == 8) {
      p = d[n] * e.p - e.t;
      q = e.p * reciprocal(p);
      e.t = squared * e.p;
    } else {
      p = d[n] - e.t;
      q = reciprocal(p);
      e.t = squared * q;
    }
    e.p = p;
    e.b = b[n] + e.factor * e.b;
    e.factor = a[n] * q;
    if (row - n < length) m.eliminated(slot - n * width, e.b * q, e.factor);
  }
  e.a = a[N - 1];
  into_range(e.p, e.t);
}

template <int N, class Real, class Memory>
__device__ inline void substitute_rows(const Memory& m, int slot, int width, int row, int length,
                                       Real& v) {
  Real x[N], factor[N];
#pragma unroll
  for (int n = 0; n < N; ++n) {
    x[n] = factor[n] = 0;
    if (row + n < length) m.factors(slot + n * width, x[n], factor[n]);
  }
#pragma unroll
  for (int n = 0; n < N; ++n) {
    v = x[n] + factor[n] * v;
    if (row + n < length) m.solved(slot + n * width, v);
  }
}

/// What a thread can read of its branch before the branches below or above are done.
template <class Real>
struct Start {
  int4 item{0, -1, -1, 0};
  int inbox_end = 0;
  int slot = 0;
  Real d = 0, b = 0, a = 0;
};

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
  start.slot = level.z + j + (item.own.x - 1) * level.y;
  m.row(start.slot, start.d, start.b, start.a);
  return start;
}

/// Eliminates a branch from its tip, when those below it have given their sums.
template <class Real, class Memory>
__device__ inline void eliminate(const Memory& m, const Start<Real>& start, int width) {
  using Pair = solver::Pair<Real>;
  int s = start.slot;
  Real d = start.d, b = start.b, a = start.a;
  const int first = start.item.w, count = start.inbox_end - first;
  Pair given[4];  // read together, so that most branching points cost one latency
#pragma unroll
  for (int e = 0; e < 4; ++e) given[e] = e < count ? m.inbox[first + e] : Pair{0, 0};
  d -= (given[0].x + given[1].x) + (given[2].x + given[3].x);
  b += (given[0].y + given[1].y) + (given[2].y + given[3].y);
  for (int e = 4; e < count; ++e) {
    const Pair more = m.inbox[first + e];
    d -= more.x;
    b += more.y;
  }
  for (int k = start.item.x - 1; k > 0; --k) {
    const int up = s - width;
    Real next_d, next_b, next_a;
    m.row(up, next_d, next_b, next_a);
    const Real q = reciprocal(d);
    const Real squared = a * a, moved = a * b;
    m.eliminated(s, b * q, a * q);
    d = next_d - squared * q;
    b = next_b + moved * q;
    a = next_a;
    s = up;
  }
  const Real q = reciprocal(d);
  m.eliminated(s, b * q, a * q);
  if (start.item.z >= 0) m.inbox[start.item.z] = Pair{a * a * q, a * b * q};
}

template <class Real, class Memory>
__device__ inline Start<Real> start_down(const Memory& m, const Item& item, int4 level, int j) {
  Start<Real> start;
  if (j >= level.y) return start;
  start.item = item.own;
  start.slot = level.z + j;
  m.factors(start.slot, start.b, start.a);
  return start;
}

/// Substitutes along a branch, when the one above it is done.
template <class Real, class Memory>
__device__ inline void substitute(const Memory& m, const Start<Real>& start, int width) {
  int s = start.slot;
  Real f = start.a, x = start.b;
  Real v = start.item.y < 0 ? Real(0) : m.solution(start.item.y);
  for (int k = 1; k < start.item.x; ++k) {
    const int down = s + width;
    Real next_f, next_x;
    m.factors(down, next_x, next_f);
    v = x + f * v;
    m.solved(s, v);
    f = next_f;
    x = next_x;
    s = down;
  }
  m.solved(s, x + f * v);
}

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
      meet<false>(above);
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
      meet<false>(level);
      start = next;
      level = below;
      below = after;
    }
    __syncwarp();
  }
}

/// A branch's item; of no length past the level's end, and without a branch in the conditions.
__device__ inline Item item_of(const int4* items, int4 level, int j) {
  const int4* const at = items + level.x + min(j, level.y - 1);
  Item item{at[0], at[1].w};
  if (j >= level.y) item = Item{int4{0, -1, -1, 0}, 0};
  return item;
}

/// The same in shared memory, a warp's branches in step, rows_together rows at a time.
template <class Real, bool one_warp>
__device__ inline void solve_together(const SharedValues<Real>& m, const int4* items,
                                      const int4* levels, int count, int repeats) {
  using Pair = solver::Pair<Real>;
  constexpr int N = rows_together;
  int thread = static_cast<int>(threadIdx.x);
  asm volatile("" : "+r"(thread));  // reading it anew is slow
  const int threads = one_warp ? 32 : static_cast<int>(blockDim.x);
  const int warp = thread & ~31;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    int4 level = levels[count - 1];
    Item item = item_of(items, level, thread);
    for (int l = count - 1;; --l) {
      const int4 above = levels[max(l - 1, 0)];
      const Item next = item_of(items, above, thread);
      const int longest = level.w >> longest_shift;
      for (int turn = 0; one_warp || warp + turn < level.y; turn += threads) {
        if (turn > 0) item = item_of(items, level, thread + turn);
        const int first = item.own.w, entries = item.inbox_end - first, length = item.own.x;
        Pair given[4];  // read together, so that most branching points cost one latency
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          given[e] = Pair{0, 0};
          if (e < entries) given[e] = m.inbox[first + e];
        }
        Pair sum{(given[0].x + given[1].x) + (given[2].x + given[3].x),
                 (given[0].y + given[1].y) + (given[2].y + given[3].y)};
        if ((level.w & more_entries) != 0)
          for (int e = 4; e < entries; ++e) {
            const Pair more = m.inbox[first + e];
            sum.x += more.x;
            sum.y += more.y;
          }
        Elimination<Real> e;
        int row = (longest + N - 1) / N * N - 1;
        int slot = level.z + min(thread + turn, level.y - 1) + row * level.y;
#pragma unroll 1
        for (; row >= 0; row -= N, slot -= N * level.y)
          eliminate_rows<N>(m, slot, level.y, row, length, sum, e);
        if (item.own.z >= 0) m.inbox[item.own.z] = Pair{e.a * e.factor, e.factor * e.b};
        if (one_warp && turn + 32 >= level.y) break;
      }
      if (l == 0) break;
      item = next;
      meet<one_warp>(above);
      level = above;
    }
    item = item_of(items, level, thread);
    for (int l = 0;; ++l) {
      const int4 below = levels[min(l + 1, count - 1)];
      const Item next = item_of(items, below, thread);
      const int longest = level.w >> longest_shift;
      for (int turn = 0; one_warp || warp + turn < level.y; turn += threads) {
        if (turn > 0) item = item_of(items, level, thread + turn);
        Real v = 0;
        if (item.own.y >= 0) v = m.solution(item.own.y);
        int slot = level.z + min(thread + turn, level.y - 1);
#pragma unroll 1
        for (int row = 0; row < longest; row += N, slot += N * level.y)
          substitute_rows<N>(m, slot, level.y, row, item.own.x, v);
        if (one_warp && turn + 32 >= level.y) break;
      }
      if (l == count - 1) break;
      item = next;
      meet<one_warp>(level);
      level = below;
    }
    meet<true>(level);
  }
}

/// Where a block keeps its values, and whether it is one warp: named barriers whose number stands
/// in a register reserve all sixteen, with which only four blocks share a multiprocessor.
enum class Form { one_warp, in_shared, in_memory };

template <class Real, Form form>
__global__ void __launch_bounds__(form == Form::one_warp ? 32 : most_threads,
                                  form == Form::one_warp ? 16 : 1)
    branch_kernel(const BranchArguments<Real> args) {
  using Pair = solver::Pair<Real>;
  constexpr bool one_warp = form == Form::one_warp;
  extern __shared__ __align__(16) unsigned char memory[];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = one_warp ? 32 : static_cast<int>(blockDim.x);
  const auto sync = [] {
    if constexpr (one_warp)
      __syncwarp();
    else
      __syncthreads();
  };
  int loaded = -1;  // pattern whose schedule is in shared memory
  for (int block = static_cast<int>(blockIdx.x); block < args.blocks;
       block += static_cast<int>(gridDim.x)) {
    const int pattern = args.pattern_of[block];
    const PatternView<Real> p = args.patterns[pattern];
    const std::size_t first_node = args.first_node[block], first_slot = args.first_slot[block];
    const std::size_t first = args.natural ? first_node : first_slot;

    if constexpr (form != Form::in_memory) {
      // Hidden from the compiler, which would work it out again at every use.
      unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
      asm volatile("" : "+r"(base));
      unsigned char* const start = static_cast<unsigned char*>(__cvta_shared_to_generic(base));
      Pair* const inbox = reinterpret_cast<Pair*>(start);
      int4* const items =
          reinterpret_cast<int4*>(start + (p.entries * sizeof(Pair) + 15) / 16 * 16);
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
        const int s = args.natural ? p.slot[i] : i;
        matrix[s].x = args.diagonal[first + i];
        state[s].x = args.rhs[first + i];
      }
      sync();
      const SharedValues<Real> values{matrix, state, inbox};
      solve_together<Real, one_warp>(values, items, levels, p.level_count, args.repeats);
      sync();
      for (int i = thread; i < count; i += threads)
        args.rhs[first + i] = state[args.natural ? p.slot[i] : i].x;
      sync();
    } else {
      const Real* coupling = p.coupling;
      if (args.coupling != nullptr) {
        Real* const own = args.scratch + args.all_storage + first_slot;
        for (int s = thread; s < p.storage; s += threads) {
          const int node = p.coupling_of[s];
          own[s] = node >= 0 ? args.coupling[first_node + node] : Real(0);
        }
        coupling = own;
        sync();
      }
      Pair* const inbox =
          reinterpret_cast<Pair*>(args.scratch + 2 * args.all_storage) + args.first_entry[block];
      solve_block<Real>(GlobalValues<Real>{args.diagonal + first_slot, coupling,
                                           args.rhs + first_slot, args.scratch + first_slot, inbox},
                        p.items, p.levels, p.level_count, args.repeats);
      sync();  // the next block of the plan has other barriers
    }
  }
}

/// A block of threads moves one block's values between natural order and layout.
template <class Real, bool inwards>
__global__ void permute_kernel(const PatternView<Real>* patterns, const int* pattern_of,
                               const std::size_t* first_node, const std::size_t* first_slot,
                               const Real* from, Real* to) {
  const PatternView<Real> p = patterns[pattern_of[blockIdx.x]];
  const std::size_t node = first_node[blockIdx.x], slot = first_slot[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < p.nodes; i += static_cast<int>(blockDim.x))
    if constexpr (inwards)
      to[slot + p.slot[i]] = from[node + i];
    else
      to[node + i] = from[slot + p.slot[i]];
}

}  // namespace hillock::solver::branch
