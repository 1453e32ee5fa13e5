#pragma once
// The kernel that keeps a cell in registers. Only contraction_device.cu includes this.
//
// A team (a warp, or a whole block) solves one cell after another of one template.
// Thread i of T holds tasks i, T+i, 2T+i, …; tasks stand in the order of their steps, so the last
// tasks all lie in the last warp. A task's d, b and factors stay in registers; what one task gives
// another goes through shared memory:
//
//   shared, per team:  inbox  (d, b) pairs   [entries, one unused pair after every 8]
//                      v      [nodes, one unused after every 16; zero_place stays 0]
//                      edges  (e0, e1) pairs [K·T]
//                      staged diagonal and right-hand side of the next cell [2·nodes]
//
// Where cells are many, v lies on the inbox, which is read by then: more cells find room at once.
// The gaps keep strides of powers of two, which is what contraction makes of a cable, off one bank.
// One barrier a step and direction. A warp whose tasks are all done leaves the forward steps and
// waits at the back step that it is needed for, so barriers shrink with the tree; when one warp is
// left, barriers are warp barriers. Named barriers: 1 forward, 2 + step back.
//
// Why that is enough. W(s), the warps from first_warp[s] on, are those with a task in step s or
// later. (1) All of W(s) meet at barrier 1 after forward step s, and W(s+1) is part of W(s): what
// step s wrote is there for whoever works later. A warp takes part in no later phase of barrier 1
// before the next solve, which it begins after the back barrier of its last step, where all that
// went on meet it. (2) Back, W(s) meet at barrier 2 + s before step s; a warp comes there from step
// s+1, or waits there since it left. So v of all later steps, which alone a task of step s reads,
// was written before. (3) What a warp writes in the next solve was read by warps that it has met
// since: in the forward steps at barrier 1, where they went no further than it did, or at its own
// last back barrier, where they did; v is written after the next solve's first barrier, which is
// everybody's. Where v lies on the inbox, the team meets between two solves.
// compute-sanitizer's racecheck reports the reads of warps that wait while the others meet twice
// elsewhere; it reports the same for three warps of which one waits for all at barrier 2 while the
// others meet at 3, then at 4, write and join. With ContractionBarriers::all, which changes nothing
// but who waits, it is silent, and both give the same bits.
//
// Deterministic: every inbox entry, edge slot and voltage has one writer a solve; every sum has the
// schedule's order; nothing is atomic.

#include <cuda_runtime.h>

#include <cstdint>

#include "solver/batches/contraction/views.cuh"
#include "solver/contraction/elimination.hpp"
#include "solver/cuda/meet.cuh"

namespace hillock::solver::contraction {

/// Keeps the compiler from unpacking a task once and for all, which costs registers.
__device__ inline void freshen(uint4& task) {
  asm volatile("" : "+r"(task.x), "+r"(task.y), "+r"(task.z), "+r"(task.w));
}
/// Hides a value from the compiler, so that a repeated solve starts from its matrix each time.
__device__ inline void freshen(double& x) {
  asm volatile("" : "+d"(x));
}
__device__ inline void freshen(float& x) {
  asm volatile("" : "+f"(x));
}

__device__ inline void copy_async(double* shared, const double* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
}
__device__ inline void copy_async(float* shared, const float* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
}
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ inline void barrier_sync(int id, int threads) {
  __syncwarp();
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// The same with the number in the instruction: a block is given as many barriers as it names.
__device__ inline void barrier_sync_of_few(int id, int threads) {
  __syncwarp();
  switch (id) {
    case 1:
      asm volatile("barrier.sync 1, %0;" ::"r"(threads) : "memory");
      break;
    case 2:
      asm volatile("barrier.sync 2, %0;" ::"r"(threads) : "memory");
      break;
    case 3:
      asm volatile("barrier.sync 3, %0;" ::"r"(threads) : "memory");
      break;
    case 4:
      asm volatile("barrier.sync 4, %0;" ::"r"(threads) : "memory");
      break;
    case 5:
      asm volatile("barrier.sync 5, %0;" ::"r"(threads) : "memory");
      break;
    case 6:
      asm volatile("barrier.sync 6, %0;" ::"r"(threads) : "memory");
      break;
    default:
      asm volatile("barrier.sync 7, %0;" ::"r"(threads) : "memory");
  }
}

/// Where a team's values lie in shared memory.
template <class Real>
struct TeamMemory {
  using Pair = solver::Pair<Real>;
  Pair* inbox;
  Real* v;
  Pair* edges;
  Real *staged_diagonal, *staged_rhs;
  std::uint8_t* first_warp;

  __device__ __forceinline__ TeamMemory(unsigned char* mine, const TemplateView<Real>& tree,
                                        int tasks, bool v_in_inbox)
      : inbox(reinterpret_cast<Pair*>(mine)),
        v(reinterpret_cast<Real*>(v_in_inbox ? inbox : inbox + tree.entry_places)),
        edges(inbox + tree.pairs),
        staged_diagonal(reinterpret_cast<Real*>(edges + tasks)),
        staged_rhs(staged_diagonal + tree.nodes),
        first_warp(reinterpret_cast<std::uint8_t*>(staged_rhs + tree.nodes)) {}

  /// Begins to copy a cell.
  __device__ __forceinline__ void stage(const RegisterArguments<Real>& args, std::size_t offset,
                                        int nodes, int thread, int threads) const {
    for (int i = thread; i < nodes; i += threads) {
      copy_async(staged_diagonal + i, args.diagonal + offset + i);
      copy_async(staged_rhs + i, args.rhs + offset + i);
    }
  }
};

/// What a thread keeps of its K tasks, whichever cell it solves.
template <int K>
struct OwnTasks {
  uint4 task[K];  // PackedTask
  std::uint32_t arrivals[K];
  std::uint32_t steps[K];  // of the warp's tasks in each row: the first with work, the last << 8
  int last = 0;            // step of the warp's

  template <class Real>
  __device__ __forceinline__ void take(const TemplateView<Real>& tree,
                                       const TeamMemory<Real>& memory, int thread, int threads) {
    using Pair = solver::Pair<Real>;
    const unsigned zero_place = tree.zero_place;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int t = k * threads + thread;
      task[k] = reinterpret_cast<const uint4*>(tree.tasks)[t];
      arrivals[k] = tree.arrivals[t];
      memory.edges[t] = reinterpret_cast<const Pair*>(tree.edges)[t];
      if (high(task[k].x) == none) task[k].x = low(task[k].x) | zero_place << 16;
      if (low(task[k].y) == none) task[k].y = (task[k].y & 0xffff0000u) | zero_place;
      const unsigned own = task[k].w >> 24;
      const unsigned first =
          arrivals[k] != 0 ? (__ffs(static_cast<int>(arrivals[k])) - 1) / 2 : own;
      const unsigned last_of_row = __reduce_max_sync(0xffffffffu, own);
      steps[k] = __reduce_min_sync(0xffffffffu, first) | last_of_row << 8;
      last = max(last, static_cast<int>(last_of_row));
    }
  }
};

/// Reads what a task has of a staged cell, and couplings that are the cell's own.
template <class Real>
__device__ __forceinline__ void read_cell(const RegisterArguments<Real>& args,
                                          const TemplateView<Real>& tree,
                                          const TeamMemory<Real>& memory, const uint4& task, int t,
                                          std::size_t offset, Real& given, Real& b) {
  using Pair = solver::Pair<Real>;
  const bool is_node = low(task.x) != none;
  const int node = is_node ? node_at_place(static_cast<int>(low(task.x))) : 0;
  given = is_node ? memory.staged_diagonal[node] : Real(0);
  b = is_node ? memory.staged_rhs[node] : Real(0);
  if (args.coupling != nullptr) {
    const int i = tree.coupling_of[2 * t], j = tree.coupling_of[2 * t + 1];
    Pair e{0, 0};
    if (i >= 0) e.x = args.coupling[offset + i];
    if (j >= 0) e.y = args.coupling[offset + j];
    memory.edges[t] = e;
  }
}

/// Adds up what has arrived for a task by a step and, in its own step, gives what it comes to.
/// Afterwards d and from_b are its factors, b what is left.
template <class Real>
__device__ __forceinline__ void step_forward(const TeamMemory<Real>& memory, const uint4& task,
                                             std::uint32_t arrivals, int t, int step, int& entry,
                                             Real& d, Real& b, Real& from_b) {
  using Pair = solver::Pair<Real>;
  Pair* const inbox = memory.inbox;
  const bool now = step == static_cast<int>(task.w >> 24);
  Pair e{0, 0};
  if (now) e = memory.edges[t];
  int count = step < 16 ? static_cast<int>(arrivals >> (2 * step)) & 3 : 0;
  if (now) count = static_cast<int>(low(task.w) + (high(task.w) & 255u)) - entry;
  Pair first{0, 0}, second{0, 0};
  if (count > 0) first = inbox[entry_place(entry)];
  if (count > 1) second = inbox[entry_place(entry + 1)];
  take(first, d, b);
  take(second, d, b);
  for (int i = 2; i < count; ++i) take(inbox[entry_place(entry + i)], d, b);
  entry += count;
  if (now) {
    const unsigned give_a = high(task.y), give_b = low(task.z);
    const unsigned give_edge = high(task.z);
    if (low(task.x) != none) {
      const Pivot<Real> pivot(e, d, b);
      if (give_a != none) inbox[give_a] = pivot.to_a();
      if (give_b != none) inbox[give_b] = pivot.to_b();
      if (give_edge != none) reinterpret_cast<Real*>(memory.edges)[give_edge] = pivot.between();
      d = pivot.factors().x;  // from now on a's factor
      from_b = pivot.factors().y;
      b = pivot.alone();
    } else if (give_a != none) {
      inbox[give_a] = fold(d, b);
    }
  }
}

/// Meets at a barrier the warps of a team from `beginning` on.
template <bool few_names>
__device__ __forceinline__ void meet(int id, int count) {
  if constexpr (few_names)
    barrier_sync_of_few(id, count);
  else
    barrier_sync(id, count);
}

/// The first warp of a team that takes part in a step.
template <bool one_warp>
__device__ __forceinline__ int first_warp_of(const std::uint8_t* first_warp, int step, int warps) {
  if constexpr (one_warp) return warps - 1;
  return first_warp[step];
}

/// One solve of the cell whose values a team has: from the leaves of the schedule to its root, and
/// back.
template <class Real, int K, bool one_warp, bool tight, bool once, bool few_names>
__device__ __forceinline__ void solve_once(const TeamMemory<Real>& memory, OwnTasks<K>& own,
                                           Real (&given)[K], Real (&b)[K], int end, int thread,
                                           int threads) {
  constexpr int last_named = last_named_step(few_names);
  const int warps = threads / 32;
  Real d[K], from_b[K];
  int entry[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    if constexpr (!once) freshen(given[k]);
    d[k] = given[k];
    if (low(own.task[k].x) == none) b[k] = 0;
    entry[k] = static_cast<int>(low(own.task[k].w));
  }
  for (int step = 0;; ++step) {
    const int beginning = first_warp_of<one_warp>(memory.first_warp, step, warps);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      // The same for the whole warp: nothing to do in this row.
      if (step < static_cast<int>(own.steps[k] & 255u) ||
          step > static_cast<int>(own.steps[k] >> 8))
        continue;
      if constexpr (tight) freshen(own.task[k]);
      step_forward(memory, own.task[k], own.arrivals[k], k * threads + thread, step, entry[k], d[k],
                   b[k], from_b[k]);
    }
    if (step == own.last) {
      if (step < end) meet<few_names>(1, (warps - beginning) * 32);
      break;
    }
    if (beginning == warps - 1)
      __syncwarp();
    else
      meet<few_names>(1, (warps - beginning) * 32);
  }
  const auto back_barrier = [&](int step) {
    const int beginning = first_warp_of<one_warp>(memory.first_warp, step, warps);
    if (beginning == warps - 1)
      __syncwarp();
    else
      meet<few_names>(2 + min(step, last_named), (warps - beginning) * 32);
  };
  Real* const v = memory.v;
  int step = own.last;
  if (step < end) back_barrier(step);
  for (;;) {
#pragma unroll
    for (int k = 0; k < K; ++k)
      if (tight ? freshen(own.task[k]) : void();
          step == static_cast<int>(own.task[k].w >> 24) && low(own.task[k].x) != none) {
        b[k] = substitute(substitute(b[k], d[k], v[high(own.task[k].x)]), from_b[k],
                          v[low(own.task[k].y)]);
        v[low(own.task[k].x)] = b[k];
      }
    if (step == 0) break;
    --step;
    back_barrier(step);
  }
}

/// tight: few registers, for many cells at once, at the price of unpacking tasks again and again.
/// once: a single solve, which need not keep the matrix.
/// few_names: with more than four blocks on a multiprocessor, which has 64 barriers.
template <class Real, int K, bool one_warp, bool tight, bool once, bool few_names, int registers>
__global__ void __maxnreg__(registers) register_kernel(const RegisterArguments<Real> args) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int threads = one_warp ? 32 : static_cast<int>(blockDim.x);
  const int thread = one_warp ? static_cast<int>(threadIdx.x % 32) : static_cast<int>(threadIdx.x);
  const int team = one_warp ? static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32)
                            : static_cast<int>(blockIdx.x);
  if (team >= args.work_count) return;
  const Work work = args.work[team];
  const TemplateView<Real> tree = args.templates[work.tree];
  constexpr bool v_in_inbox = tight || one_warp;
  const TeamMemory<Real> memory(shared + (one_warp ? (threadIdx.x / 32) * args.team_bytes : 0),
                                tree, K * threads, v_in_inbox);
  OwnTasks<K> own;
  own.take(tree, memory, thread, threads);
  if constexpr (!one_warp)
    for (int s = thread; s < tree.steps; s += threads) memory.first_warp[s] = tree.first_warp[s];
  if (thread == 0) memory.v[tree.zero_place] = 0;
  const int end = tree.steps - 1;
  if (own.last > last_named_step(few_names) || one_warp || tree.all_meet) own.last = end;

  // Known a cell ahead, so that nothing waits for it.
  std::size_t offset = args.offsets[args.cell_list[work.begin]];
  std::size_t next_offset = args.offsets[args.cell_list[min(work.begin + 1, work.end - 1)]];
  memory.stage(args, offset, tree.nodes, thread, threads);

  for (int position = work.begin; position < work.end; ++position) {
    wait_for_copies();
    meet_all<one_warp>();
    Real given[K], b[K];
#pragma unroll
    for (int k = 0; k < K; ++k)
      read_cell(args, tree, memory, own.task[k], k * threads + thread, offset, given[k], b[k]);
    meet_all<one_warp>();
    if (position + 1 < work.end) memory.stage(args, next_offset, tree.nodes, thread, threads);
    const std::size_t after_offset = args.offsets[args.cell_list[min(position + 2, work.end - 1)]];

    for (int repeat = 0; repeat < (once ? 1 : args.repeats); ++repeat) {
      if constexpr (v_in_inbox && !once)
        if (repeat > 0) meet_all<one_warp>();  // v has been read: the inbox may be written
      solve_once<Real, K, one_warp, tight, once, few_names>(memory, own, given, b, end, thread,
                                                            threads);
    }
    meet_all<one_warp>();
    for (int i = thread; i < tree.nodes; i += threads)
      args.rhs[offset + i] = memory.v[node_place(i)];
    offset = next_offset;
    next_offset = after_offset;
  }
}

}  // namespace hillock::solver::contraction
