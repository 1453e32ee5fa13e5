#pragma once
// A block of the fine-grained Hines solver in device memory: a thread goes along its branch alone.

#include "solver/batches/branch/views.cuh"

namespace hillock::solver::branch {

/// What a thread can read of its branch before the branches below or above are done.
template <class Real>
struct Start {
  int4 item{0, -1, -1, 0};
  int inbox_end = 0;
  int slot = 0;
  Real d = 0, b = 0, a = 0;
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

}  // namespace hillock::solver::branch
