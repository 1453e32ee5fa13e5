#pragma once
// The kernels of a Hines batch: one thread a cell. Only device_batch.cu includes this.
// No thread reads what another wrote but through its own warp's copies, and no sum depends on
// timing: deterministic.

#include <cstddef>
#include <cstdint>

#include "solver/cuda/bulk_copy.cuh"
#include "solver/hines_batch/elimination.hpp"

namespace hillock::solver::hines_batch {

/// A schedule on the device, as kernels see it; see schedule.hpp.
struct DeviceSchedule {
  int width;
  int rows;  ///< of every group, where group_first is null
  std::size_t n_slots;
  const std::size_t* group_first;
  const int* size_of_slot;
  const int* tree_of_slot;  ///< null: all systems have tree 0
  const std::size_t* tree_first;
  const int* parent_of_row;      ///< per tree
  const int* parent_of_element;  ///< [length] arranged as the values; null for one tree
  const std::size_t* word_first;
  const std::uint32_t* step_words;

  __device__ std::size_t first_of(std::size_t group) const {
    return group_first ? group_first[group]
                       : group * static_cast<std::size_t>(width) * static_cast<std::size_t>(rows);
  }
  __device__ int rows_of(std::size_t group) const {
    return group_first ? static_cast<int>((group_first[group + 1] - group_first[group]) / width)
                       : rows;
  }
};

/// The paper's kernel. Thread mapping: slot = block·blockDim + thread; lanes of a group are
/// neighbours. Parents: one array for all (one tree), or interleaved like the values.
template <class T, bool one_tree, bool skip_padding>
__global__ void __launch_bounds__(128)
    parents_kernel(DeviceSchedule s, T* diagonal, const T* coupling, T* rhs) {
  const std::size_t slot = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (slot >= s.n_slots) return;
  const std::size_t group = slot / s.width;
  const std::size_t base = s.first_of(group) + slot % s.width;
  const int rows = skip_padding ? s.size_of_slot[slot] : s.rows_of(group);
  const std::size_t stride = s.width;
  if (one_tree) {
    const int* parent = s.parent_of_row;
    solve_by_parents(diagonal + base, coupling + base, stride, rhs + base, stride, rows,
                     [=](int i) { return __ldg(parent + i); });
  } else {
    const int* parent = s.parent_of_element + base;
    solve_by_parents(diagonal + base, coupling + base, stride, rhs + base, stride, rows,
                     [=](int i) { return __ldg(parent + i * stride); });
  }
}

/// Block-shared: a block is a group; its right-hand sides live in shared memory as [row][lane].
template <class T, bool one_tree, bool skip_padding>
__global__ void parents_shared_rhs_kernel(DeviceSchedule s, T* diagonal, const T* coupling,
                                          T* rhs) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  T* shared = reinterpret_cast<T*>(shared_bytes) + threadIdx.x;
  const std::size_t group = blockIdx.x;
  const std::size_t slot = group * s.width + threadIdx.x;
  const std::size_t base = s.first_of(group) + threadIdx.x;
  const int rows = skip_padding ? s.size_of_slot[slot] : s.rows_of(group);
  const std::size_t stride = s.width;
#pragma unroll 8
  for (int i = 0; i < rows; ++i) shared[i * stride] = rhs[base + i * stride];
  if (one_tree) {
    const int* parent = s.parent_of_row;
    solve_by_parents(diagonal + base, coupling + base, stride, shared, stride, rows,
                     [=](int i) { return __ldg(parent + i); });
  } else {
    const int* parent = s.parent_of_element + base;
    solve_by_parents(diagonal + base, coupling + base, stride, shared, stride, rows,
                     [=](int i) { return __ldg(parent + i * stride); });
  }
#pragma unroll 8
  for (int i = 0; i < rows; ++i) rhs[base + i * stride] = shared[i * stride];
}

/// The stack of one lane, [level][lane].
template <class T>
struct SharedStack {
  Waiting<T>* lane;
  __device__ Waiting<T>& operator[](int level) { return lane[level * 32]; }
};

template <class T>
std::size_t stream_shared_bytes(int stages, int kept_chunks, int stack_depth) {
  const std::size_t chunk = sizeof(T) * 32 * rows_per_word;
  return stages * 3 * chunk + static_cast<std::size_t>(kept_chunks) * 2 * chunk +
         static_cast<std::size_t>(stack_depth) * 2 * 32 * sizeof(T) +
         stages * sizeof(std::uint64_t);
}

/// Ours. A block is one warp, a warp is a group of 32 lanes, a lane is a cell. A chunk is 16 rows
/// of a group, contiguous in each array; chunks pass through a ring of stages that the copy engine
/// fills ahead, first from the last row up (d, u, b; f and y are written over d and b), then from
/// the root down (f, y; x is written over b). Factors of the `kept` chunks nearest the root stay in
/// shared memory in between.
///   shared:  stages × [d|u|b][16][32] | kept × [f|y][16][32] | stack [depth][32] | barriers
template <class T, int stages>
__global__ void __launch_bounds__(32) stream_kernel(DeviceSchedule s, int stack_depth, int kept,
                                                    T* diagonal, const T* coupling, T* rhs) {
  constexpr int chunk = rows_per_word * 32;
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  T* ring = reinterpret_cast<T*>(shared_bytes);
  T* kept_factors = ring + stages * 3 * chunk;
  auto* stack_memory = reinterpret_cast<Waiting<T>*>(kept_factors + kept * 2 * chunk);
  auto* barrier = reinterpret_cast<std::uint64_t*>(stack_memory + stack_depth * 32);
  const int lane = threadIdx.x;
  const std::size_t group = blockIdx.x;
  const std::size_t slot = group * 32 + lane;
  const std::size_t first = s.first_of(group);
  const int rows = s.rows_of(group);
  const int chunks = (rows + rows_per_word - 1) / rows_per_word;
  const int down_copies = max(0, chunks - kept);
  const int size = s.size_of_slot[slot];
  const int words = (size + rows_per_word - 1) / rows_per_word;
  const std::uint32_t* steps =
      s.step_words + (s.tree_of_slot ? s.word_first[s.tree_of_slot[slot]] : 0);
  const auto word_of = [&](int c) { return c >= 0 && c < words ? __ldg(steps + c) : 0u; };

  // The k-th copy: chunks-1 … 0 upward, then kept … chunks-1 downward.
  const auto start_copy = [&](int k) {
    const bool up = k < chunks;
    const int c = up ? chunks - 1 - k : kept + k - chunks;
    const std::size_t from = first + static_cast<std::size_t>(c) * chunk;
    const std::uint32_t bytes = min(rows_per_word, rows - c * rows_per_word) * 32 * sizeof(T);
    T* to = ring + (k % stages) * 3 * chunk;
    std::uint64_t* arrived = barrier + k % stages;
    expect_bytes(arrived, bytes * (up ? 3 : 2));
    load_bulk(to, diagonal + from, bytes, arrived);
    load_bulk(to + 2 * chunk, rhs + from, bytes, arrived);
    if (up) load_bulk(to + chunk, coupling + from, bytes, arrived);
  };
  if (lane == 0) {
    for (int k = 0; k < stages; ++k) init_barrier(barrier + k);
    publish_barriers();
  }
  __syncwarp();
  wait_for_last_kernel();
  let_next_kernel_start();
  if (lane == 0) {
    for (int k = 0; k < min(stages, chunks); ++k) start_copy(k);
  }
  __syncwarp();

  SharedStack<T> stack{stack_memory + lane};
  Carry<T> carry;
  std::uint32_t word = word_of(chunks - 1);
  int k = 0;
  for (; k < chunks; ++k) {
    const int c = chunks - 1 - k;
    const std::uint32_t next_word = word_of(c - 1);
    wait_phase(barrier + k % stages, (k / stages) & 1);
    const T* in = ring + (k % stages) * 3 * chunk + lane;
    const bool keep = c < kept;
    const std::size_t at = first + static_cast<std::size_t>(c) * chunk + lane;
    T* f_out = keep ? kept_factors + c * 2 * chunk + lane : diagonal + at;
    T* y_out = keep ? kept_factors + c * 2 * chunk + chunk + lane : rhs + at;
    const int count = min(rows_per_word, rows - c * rows_per_word);
    if (count == rows_per_word) {  // read all rows before the first is written: nothing waits
      T d[rows_per_word], u[rows_per_word], b[rows_per_word];
#pragma unroll
      for (int r = rows_per_word - 1; r >= 0; --r) {
        d[r] = in[r * 32];
        u[r] = in[chunk + r * 32];
        b[r] = in[2 * chunk + r * 32];
      }
#pragma unroll
      for (int r = rows_per_word - 1; r >= 0; --r) {
        climb(step_in_word(word, r), u[r], d[r], b[r], carry, stack);
        f_out[r * 32] = d[r];
        y_out[r * 32] = b[r];
      }
    } else {
      for (int r = count - 1; r >= 0; --r) {
        T d = in[r * 32], b = in[2 * chunk + r * 32];
        climb(step_in_word(word, r), in[chunk + r * 32], d, b, carry, stack);
        f_out[r * 32] = d;
        y_out[r * 32] = b;
      }
    }
    word = next_word;
    __syncwarp();
    if (lane == 0 && k + stages < chunks) start_copy(k + stages);
  }

  fence_all_writes();  // f and y were written by ordinary stores and are read by copies
  __syncwarp();
  const int copies = chunks + down_copies;
  if (lane == 0)
    for (int next = chunks; next < min(chunks + stages, copies); ++next) start_copy(next);
  Descent<T> descent;
  word = word_of(0);
  for (int c = 0; c < chunks; ++c) {
    const std::uint32_t next_word = word_of(c + 1);
    const bool keep = c < kept;
    if (!keep) wait_phase(barrier + k % stages, (k / stages) & 1);
    const T* in =
        keep ? kept_factors + c * 2 * chunk + lane : ring + (k % stages) * 3 * chunk + lane;
    const T* in_y = keep ? in + chunk : in + 2 * chunk;
    T* out = rhs + first + static_cast<std::size_t>(c) * chunk + lane;
    const int count = min(rows_per_word, rows - c * rows_per_word);
    if (count == rows_per_word) {
      T f[rows_per_word], y[rows_per_word];
#pragma unroll
      for (int r = 0; r < rows_per_word; ++r) {
        f[r] = in[r * 32];
        y[r] = in_y[r * 32];
      }
#pragma unroll
      for (int r = 0; r < rows_per_word; ++r)
        out[r * 32] = descend(step_in_word(word, r), f[r], y[r], descent, stack);
    } else {
      for (int r = 0; r < count; ++r)
        out[r * 32] = descend(step_in_word(word, r), in[r * 32], in_y[r * 32], descent, stack);
    }
    word = next_word;
    if (!keep) {
      __syncwarp();
      if (lane == 0 && k + stages < copies) start_copy(k + stages);
      ++k;
    }
  }
}

/// Flat to arranged, one thread an element of a group's row; blockIdx.y walks the groups.
/// Tables as in Schedule; first: where systems begin in flat values.
template <class T>
__global__ void arrange_kernel(DeviceSchedule s, std::size_t length, const int* system_of_slot,
                               const std::size_t* first, const int* node_of_row,
                               const T* from_diagonal, const T* from_coupling, const T* from_rhs,
                               T* diagonal, T* coupling, T* rhs) {
  for (std::size_t group = blockIdx.y; group < s.n_slots / s.width; group += gridDim.y) {
    const std::size_t begin = s.first_of(group);
    const std::size_t elements = static_cast<std::size_t>(s.rows_of(group)) * s.width;
    for (std::size_t e = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         e < elements; e += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
      const std::size_t slot = group * s.width + e % s.width;
      const int row = static_cast<int>(e / s.width);
      T d = 1, u = 0, b = 0;
      if (row < s.size_of_slot[slot]) {
        const std::size_t tree = s.tree_of_slot ? s.tree_first[s.tree_of_slot[slot]] : 0;
        const std::size_t from = first[system_of_slot[slot]] + node_of_row[tree + row];
        d = from_diagonal[from];
        if (row > 0) u = from_coupling[from];
        b = from_rhs[from];
      }
      diagonal[begin + e] = d;
      coupling[begin + e] = u;
      rhs[begin + e] = b;
    }
  }
}

/// Arranged to flat, mapped as arrange_kernel.
template <class T>
__global__ void gather_kernel(DeviceSchedule s, const int* system_of_slot, const std::size_t* first,
                              const int* node_of_row, const T* rhs, T* flat) {
  for (std::size_t group = blockIdx.y; group < s.n_slots / s.width; group += gridDim.y) {
    const std::size_t begin = s.first_of(group);
    const std::size_t elements = static_cast<std::size_t>(s.rows_of(group)) * s.width;
    for (std::size_t e = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         e < elements; e += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
      const std::size_t slot = group * s.width + e % s.width;
      const int row = static_cast<int>(e / s.width);
      if (row >= s.size_of_slot[slot]) continue;
      const std::size_t tree = s.tree_of_slot ? s.tree_first[s.tree_of_slot[slot]] : 0;
      flat[first[system_of_slot[slot]] + node_of_row[tree + row]] = rhs[begin + e];
    }
  }
}

/// Parents interleaved like the values, as the paper has them for unlike neurons.
static __global__ void spread_parents_kernel(DeviceSchedule s, int* parent_of_element) {
  for (std::size_t group = blockIdx.y; group < s.n_slots / s.width; group += gridDim.y) {
    const std::size_t begin = s.first_of(group);
    const std::size_t elements = static_cast<std::size_t>(s.rows_of(group)) * s.width;
    for (std::size_t e = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         e < elements; e += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
      const std::size_t slot = group * s.width + e % s.width;
      const int row = static_cast<int>(e / s.width);
      parent_of_element[begin + e] = row < s.size_of_slot[slot]
                                         ? s.parent_of_row[s.tree_first[s.tree_of_slot[slot]] + row]
                                         : row - 1;
    }
  }
}

}  // namespace hillock::solver::hines_batch
