#pragma once
// The kernels of the fine-grained Hines solver. Only branch_device.cu includes this.
//
// A block of threads solves one block of the plan, level by level: thread j takes branch j of the
// level (and j + threads, … where a level is wider). Upwards a thread eliminates its branch from
// the tip, keeping d and b in registers, and leaves its sum in the inbox of the branch above;
// downwards it substitutes. Layout: solver/schedules/branch_plan.hpp; slots that neighbouring
// threads read are neighbours, so reads are coalesced and free of bank conflicts.
//
// Shared memory of a block:  inbox | items | levels | (diagonal, coupling) pairs | (x, factor)
// pairs
//
// In shared memory a warp walks along its branches in step (warp_in_step.cuh), in device memory a
// thread along its own (branch_a_thread.cuh).
//
// Between two levels only the warps that work on either of them meet (named barriers 1 … 14, every
// 14th level all warps); where that is one warp, it is a warp barrier.
//
// Deterministic: every slot has one writer a pass, every inbox is added up in the plan's order.

#include "solver/batches/branch/branch_a_thread.cuh"
#include "solver/batches/branch/views.cuh"
#include "solver/batches/branch/warp_in_step.cuh"

namespace hillock::solver::branch {

/// Where a block keeps its values, and whether it is one warp: named barriers whose number stands
/// in a register reserve all sixteen, with which only four blocks share a multiprocessor.
enum class Form { one_warp, in_shared, in_memory };

/// A block of the plan, in shared memory. is_loaded: its pattern's schedule is there.
template <class Real, bool one_warp>
__device__ __forceinline__ void solve_in_shared(const BranchArguments<Real>& args,
                                                const PatternView<Real>& p, int block,
                                                bool is_loaded, unsigned char* memory) {
  using Pair = solver::Pair<Real>;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = one_warp ? 32 : static_cast<int>(blockDim.x);
  const std::size_t first_node = args.first_node[block], first_slot = args.first_slot[block];
  const std::size_t first = args.natural ? first_node : first_slot;
  // Hidden from the compiler, which would work it out again at every use.
  unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  asm volatile("" : "+r"(base));
  unsigned char* const start = static_cast<unsigned char*>(__cvta_shared_to_generic(base));
  Pair* const inbox = reinterpret_cast<Pair*>(start);
  int4* const items = reinterpret_cast<int4*>(start + (p.entries * sizeof(Pair) + 15) / 16 * 16);
  int4* const levels = items + p.branches + 1;
  Pair* const matrix = reinterpret_cast<Pair*>(levels + p.level_count);
  Pair* const state = matrix + p.storage;
  if (!is_loaded) {
    for (int i = thread; i <= p.branches; i += threads) items[i] = p.items[i];
    for (int l = thread; l < p.level_count; l += threads) levels[l] = p.levels[l];
    if (args.coupling == nullptr)
      for (int s = thread; s < p.storage; s += threads) matrix[s].y = p.coupling[s];
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
  meet_all<one_warp>();
  solve_together<Real, one_warp>(SharedValues<Real>{matrix, state, inbox}, items, levels,
                                 p.level_count, args.repeats);
  meet_all<one_warp>();
  for (int i = thread; i < count; i += threads)
    args.rhs[first + i] = state[args.natural ? p.slot[i] : i].x;
  meet_all<one_warp>();
}

/// The same in device memory.
template <class Real>
__device__ __forceinline__ void solve_in_memory(const BranchArguments<Real>& args,
                                                const PatternView<Real>& p, int block) {
  using Pair = solver::Pair<Real>;
  const std::size_t first_node = args.first_node[block], first_slot = args.first_slot[block];
  const Real* coupling = p.coupling;
  if (args.coupling != nullptr) {
    Real* const own = args.scratch + args.all_storage + first_slot;
    for (int s = static_cast<int>(threadIdx.x); s < p.storage; s += static_cast<int>(blockDim.x)) {
      const int node = p.coupling_of[s];
      own[s] = node >= 0 ? args.coupling[first_node + node] : Real(0);
    }
    coupling = own;
    __syncthreads();
  }
  Pair* const inbox =
      reinterpret_cast<Pair*>(args.scratch + 2 * args.all_storage) + args.first_entry[block];
  solve_block<Real>(GlobalValues<Real>{args.diagonal + first_slot, coupling, args.rhs + first_slot,
                                       args.scratch + first_slot, inbox},
                    p.items, p.levels, p.level_count, args.repeats);
  __syncthreads();  // the next block of the plan has other barriers
}

template <class Real, Form form>
__global__ void __launch_bounds__(form == Form::one_warp ? 32 : most_threads,
                                  form == Form::one_warp ? 16 : 1)
    branch_kernel(const BranchArguments<Real> args) {
  extern __shared__ __align__(16) unsigned char memory[];
  int loaded = -1;  // pattern whose schedule is in shared memory
  for (int block = static_cast<int>(blockIdx.x); block < args.blocks;
       block += static_cast<int>(gridDim.x)) {
    const int pattern = args.pattern_of[block];
    const PatternView<Real> p = args.patterns[pattern];
    if constexpr (form == Form::in_memory)
      solve_in_memory(args, p, block);
    else
      solve_in_shared<Real, form == Form::one_warp>(args, p, block, pattern == loaded, memory);
    loaded = pattern;
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
