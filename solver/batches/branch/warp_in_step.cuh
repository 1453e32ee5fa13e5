#pragma once
// A block of the fine-grained Hines solver in shared memory: a warp walks along its branches in
// step, from the tip of the level's longest on. What lies beyond a shorter branch's tip counts as
// neutral (d = 1, a = 0, b = 0), so that rows need no jumps and their loads and reciprocals
// overlap.

#include "solver/batches/branch/views.cuh"

namespace hillock::solver::branch {

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

/// A branch's item; of no length past the level's end, and without a branch in the conditions.
__device__ inline Item item_of(const int4* items, int4 level, int j) {
  const int4* const at = items + level.x + min(j, level.y - 1);
  Item item{at[0], at[1].w};
  if (j >= level.y) item = Item{int4{0, -1, -1, 0}, 0};
  return item;
}

/// What the branches below a branch gave. has_more: some of the level have more than four entries.
template <class Real>
__device__ __forceinline__ Pair<Real> sum_of_inbox(const SharedValues<Real>& m, const Item& item,
                                                   bool has_more) {
  using Pair = solver::Pair<Real>;
  const int first = item.own.w, entries = item.inbox_end - first;
  Pair given[4];  // read together, so that most branching points cost one latency
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    given[e] = Pair{0, 0};
    if (e < entries) given[e] = m.inbox[first + e];
  }
  Pair sum{(given[0].x + given[1].x) + (given[2].x + given[3].x),
           (given[0].y + given[1].y) + (given[2].y + given[3].y)};
  if (has_more)
    for (int e = 4; e < entries; ++e) {
      const Pair more = m.inbox[first + e];
      sum.x += more.x;
      sum.y += more.y;
    }
  return sum;
}

/// As solve_block() in shared memory, a warp's branches in step, rows_together rows at a time.
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
        const int length = item.own.x;
        const Pair sum = sum_of_inbox(m, item, (level.w & more_entries) != 0);
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

}  // namespace hillock::solver::branch
