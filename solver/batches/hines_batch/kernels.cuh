#pragma once
// The kernels of a Hines batch: one thread a cell. Only hines_device.cu includes this.
// No thread reads what another wrote but through its own warp's copies, and no sum depends on
// timing: deterministic.

#include <cstddef>
#include <cstdint>

#include "solver/cuda/bulk_copy.cuh"
#include "solver/batches/hines_batch/elimination.hpp"

namespace hillock::solver::hines {

/// A schedule on the device, as kernels see it; see schedule.hpp.
struct DeviceSchedule {
  int width;
  int rows;  ///< of every group, where group_first is null
  int together;
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
  /// Which row and lane element e of a group belongs to.
  __device__ int row_at(std::size_t e) const {
    const std::size_t block = static_cast<std::size_t>(width) * together;
    return static_cast<int>(e / block * together + e % together);
  }
  __device__ int lane_at(std::size_t e) const {
    return static_cast<int>(e % (static_cast<std::size_t>(width) * together) / together);
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
  static constexpr int level_bytes = 32 * sizeof(Waiting<T>);
  char* lane;
  int height = 0;  ///< in bytes, so that an address is one sum
  __device__ Waiting<T>& at(int bytes) { return *reinterpret_cast<Waiting<T>*>(lane + bytes); }
  __device__ void push(Waiting<T> entry) {
    at(height) = entry;
    height += level_bytes;
  }
  __device__ Waiting<T> pop() { return at(height -= level_bytes); }
  __device__ void push_value(T value) {
    at(height).rhs = value;
    height += level_bytes;
  }
  __device__ T pop_value() { return at(height -= level_bytes).rhs; }
};

/// Keeps the compiler from merging the branch it stands in with the other.
__device__ __forceinline__ void stay_a_branch() {
  asm volatile("");
}

/// Four rows of one lane, read and written 16 bytes at a time: [row / n][lane][row % n], n of them
/// in 16 bytes.
template <class T>
struct Quad {
  static constexpr int together = 16 / sizeof(T);
  T row[rows_of_quad];

  __device__ void read(const T* from) {
    if constexpr (sizeof(T) == 4) {
      const float4 piece = *reinterpret_cast<const float4*>(from);
      row[0] = piece.x, row[1] = piece.y, row[2] = piece.z, row[3] = piece.w;
    } else {
      const double2 first = *reinterpret_cast<const double2*>(from);
      const double2 second = *reinterpret_cast<const double2*>(from + 2 * 32);
      row[0] = first.x, row[1] = first.y, row[2] = second.x, row[3] = second.y;
    }
  }
  /// In one instruction; left to itself the compiler makes several of it.
  __device__ void write_global(T* to) const {
    if constexpr (sizeof(T) == 4) {
      __stwb(reinterpret_cast<float4*>(to), make_float4(row[0], row[1], row[2], row[3]));
    } else {
      __stwb(reinterpret_cast<double2*>(to), make_double2(row[0], row[1]));
      __stwb(reinterpret_cast<double2*>(to + 2 * 32), make_double2(row[2], row[3]));
    }
  }
  __device__ void write_shared(T* to) const {
    if constexpr (sizeof(T) == 4) {
      *reinterpret_cast<float4*>(to) = make_float4(row[0], row[1], row[2], row[3]);
    } else {
      *reinterpret_cast<double2*>(to) = make_double2(row[0], row[1]);
      *reinterpret_cast<double2*>(to + 2 * 32) = make_double2(row[2], row[3]);
    }
  }
};
inline constexpr int quad_size = rows_of_quad * 32;

/// Whether no lane's row of a quad does anything but follow. Such quads need no stack.
__device__ __forceinline__ bool all_follow(std::uint32_t steps) {
  return !__any_sync(0xffffffffu, steps != 0);
}

/// Climbs a chunk's quads from the last up. in: [d|u|b][16][32], f_out and y_out: [16][32], in
/// shared memory if `keep`, else global; all at this lane. One quad is read while the one before is
/// worked on. A loop and not unrolled further: what costs most is the number of instructions, their
/// fetching included.
template <bool keep, class T>
__device__ __forceinline__ void climb_chunk(std::uint32_t word, int quads, const T* in, T* f_out,
                                            T* y_out, Carry<T>& carry, SharedStack<T>& stack) {
  constexpr int chunk = rows_per_word * 32;
  struct Rows {
    Quad<T> d, u, b;
  } even, odd;
  const auto read = [&](Rows& rows, int q) {
    rows.d.read(in + q * quad_size);
    rows.u.read(in + chunk + q * quad_size);
    rows.b.read(in + 2 * chunk + q * quad_size);
  };
  const auto work = [&](Rows& rows, int q) {
    const std::uint32_t steps = (word >> (2 * rows_of_quad * q)) & 0xffu;
    if (all_follow(steps)) {
      stay_a_branch();
#pragma unroll
      for (int r = rows_of_quad - 1; r >= 0; --r)
        climb(Step::follows, rows.u.row[r], rows.d.row[r], rows.b.row[r], carry, stack);
    } else {
#pragma unroll
      for (int r = rows_of_quad - 1; r >= 0; --r)
        climb(step_in_word(steps, r), rows.u.row[r], rows.d.row[r], rows.b.row[r], carry, stack);
    }
    if constexpr (keep) {
      rows.d.write_shared(f_out + q * quad_size);
      rows.b.write_shared(y_out + q * quad_size);
    } else {
      rows.d.write_global(f_out + q * quad_size);
      rows.b.write_global(y_out + q * quad_size);
    }
  };
  int q = quads - 1;
  read(even, q);
#pragma unroll 1
  for (;;) {
    if (q > 0) read(odd, q - 1);
    work(even, q);
    if (--q < 0) break;
    if (q > 0) read(even, q - 1);
    work(odd, q);
    if (--q < 0) break;
  }
}

/// Descends a chunk's quads from the first; f_in, y_in and out: [16][32] at this lane. As
/// climb_chunk.
template <class T>
__device__ __forceinline__ void descend_chunk(std::uint32_t word, int quads, const T* f_in,
                                              const T* y_in, T* out, Descent<T>& descent,
                                              SharedStack<T>& stack) {
  struct Rows {
    Quad<T> f, y;
  } even, odd;
  const auto read = [&](Rows& rows, int q) {
    rows.f.read(f_in + q * quad_size);
    rows.y.read(y_in + q * quad_size);
  };
  const auto work = [&](Rows& rows, int q) {
    const std::uint32_t steps = (word >> (2 * rows_of_quad * q)) & 0xffu;
    if (all_follow(steps)) {
      stay_a_branch();
#pragma unroll
      for (int r = 0; r < rows_of_quad; ++r)
        rows.y.row[r] = descend(Step::follows, rows.f.row[r], rows.y.row[r], descent, stack);
    } else {
#pragma unroll
      for (int r = 0; r < rows_of_quad; ++r)
        rows.y.row[r] =
            descend(step_in_word(steps, r), rows.f.row[r], rows.y.row[r], descent, stack);
    }
    rows.y.write_global(out + q * quad_size);
  };
  int q = 0;
  read(even, q);
#pragma unroll 1
  for (;;) {
    if (q + 1 < quads) read(odd, q + 1);
    work(even, q);
    if (++q == quads) break;
    if (q + 1 < quads) read(even, q + 1);
    work(odd, q);
    if (++q == quads) break;
  }
}

/// Ours. A block is one warp, a warp is a group of 32 lanes, a lane is a cell. A chunk is 16 rows
/// of a group, contiguous in each array; chunks pass through a ring of stages that the copy engine
/// fills ahead, first from the last row up (d, u, b; f and y are written over d and b), then from
/// the root down (f, y; x is written over b). Factors of the `kept` chunks nearest the root stay in
/// shared memory in between.
/// In a chunk, 16 bytes of a lane's rows lie together (Quad); groups are filled up to whole quads.
///   shared:  stages × [d|u|b][16][32] | kept × [f|y][16][32] | stack [depth][32] | barriers
template <class T, int stages>
class StreamWarp {
 public:
  static constexpr int chunk = rows_per_word * 32;

  __device__ StreamWarp(const DeviceSchedule& s, int stack_depth, int kept, T* diagonal,
                        const T* coupling, T* rhs, unsigned char* shared)
      : kept_(kept),
        lane_(threadIdx.x),
        at_lane_(threadIdx.x * Quad<T>::together),
        rows_(s.rows_of(blockIdx.x)),
        chunks_((rows_ + rows_per_word - 1) / rows_per_word),
        copies_(chunks_ + max(0, chunks_ - kept)),
        diagonal_(diagonal + s.first_of(blockIdx.x)),
        coupling_(coupling + s.first_of(blockIdx.x)),
        rhs_(rhs + s.first_of(blockIdx.x)),
        ring_(reinterpret_cast<T*>(shared)),
        kept_factors_(ring_ + stages * 3 * chunk),
        stack_(reinterpret_cast<Waiting<T>*>(kept_factors_ + kept * 2 * chunk)),
        barrier_(reinterpret_cast<std::uint64_t*>(stack_ + stack_depth * 32)) {
    if (elect_one()) {
      for (int k = 0; k < stages; ++k) init_barrier(barrier_ + k);
      publish_barriers();
    }
    __syncwarp();
    wait_for_last_kernel();
    let_next_kernel_start();
    if (elect_one())
      for (int k = 0; k < min(stages, chunks_); ++k) start_copy(k);
    __syncwarp();
  }

  /// steps: the tree's words, of which this lane has `words`; beyond them every row follows.
  __device__ void solve(const std::uint32_t* steps, int words) {
    const auto word_of = [&](int c) { return c >= 0 && c < words ? __ldg(steps + c) : 0u; };
    SharedStack<T> stack{reinterpret_cast<char*>(stack_ + lane_)};
    Carry<T> carry;
    std::uint32_t word = word_of(chunks_ - 1);
    int k = 0;
    for (; k < chunks_; ++k) {
      const int c = chunks_ - 1 - k;
      const std::uint32_t next_word = word_of(c - 1);
      wait_phase(barrier_ + k % stages, (k / stages) & 1);
      const T* in = ring_ + (k % stages) * 3 * chunk + at_lane_;
      if (c < kept_) {
        T* out = kept_factors_ + c * 2 * chunk + at_lane_;
        climb_chunk<true>(word, rows_in(c) / rows_of_quad, in, out, out + chunk, carry, stack);
      } else {
        const std::size_t at = static_cast<std::size_t>(c) * chunk + at_lane_;
        climb_chunk<false>(word, rows_in(c) / rows_of_quad, in, diagonal_ + at, rhs_ + at, carry,
                           stack);
      }
      word = next_word;
      __syncwarp();
      if (k + stages < chunks_ && elect_one()) start_copy(k + stages);
    }

    fence_all_writes();  // f and y were written by ordinary stores and are read by copies
    __syncwarp();
    if (elect_one())
      for (int next = chunks_; next < min(chunks_ + stages, copies_); ++next) start_copy(next);
    Descent<T> descent;
    word = word_of(0);
    for (int c = 0; c < chunks_; ++c) {
      const std::uint32_t next_word = word_of(c + 1);
      T* out = rhs_ + static_cast<std::size_t>(c) * chunk + at_lane_;
      const bool keep = c < kept_;
      if (!keep) wait_phase(barrier_ + k % stages, (k / stages) & 1);
      const T* f =
          (keep ? kept_factors_ + c * 2 * chunk : ring_ + (k % stages) * 3 * chunk) + at_lane_;
      descend_chunk(word, rows_in(c) / rows_of_quad, f, f + (keep ? 1 : 2) * chunk, out, descent,
                    stack);
      word = next_word;
      if (!keep) {
        __syncwarp();
        if (k + stages < copies_ && elect_one()) start_copy(k + stages);
        ++k;
      }
    }
  }

 private:
  __device__ int rows_in(int c) const { return min(rows_per_word, rows_ - c * rows_per_word); }

  /// The k-th copy: chunks-1 … 0 upward, then kept … chunks-1 downward. One lane.
  __device__ void start_copy(int k) {
    const bool up = k < chunks_;
    const int c = up ? chunks_ - 1 - k : kept_ + k - chunks_;
    const std::size_t from = static_cast<std::size_t>(c) * chunk;
    const std::uint32_t bytes = rows_in(c) * 32 * sizeof(T);
    T* to = ring_ + (k % stages) * 3 * chunk;
    std::uint64_t* arrived = barrier_ + k % stages;
    expect_bytes(arrived, bytes * (up ? 3 : 2));
    load_bulk(to, diagonal_ + from, bytes, arrived);
    load_bulk(to + 2 * chunk, rhs_ + from, bytes, arrived);
    if (up) load_bulk(to + chunk, coupling_ + from, bytes, arrived);
  }

  int kept_, lane_, at_lane_, rows_, chunks_, copies_;
  T* diagonal_;
  const T* coupling_;
  T* rhs_;
  T* ring_;
  T* kept_factors_;
  Waiting<T>* stack_;
  std::uint64_t* barrier_;
};

template <class T, int stages>
__global__ void __launch_bounds__(32) stream_kernel(DeviceSchedule s, int stack_depth, int kept,
                                                    T* diagonal, const T* coupling, T* rhs) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  StreamWarp<T, stages> warp(s, stack_depth, kept, diagonal, coupling, rhs, shared_bytes);
  const std::size_t slot = static_cast<std::size_t>(blockIdx.x) * 32 + threadIdx.x;
  const int words = (s.size_of_slot[slot] + rows_per_word - 1) / rows_per_word;
  warp.solve(s.step_words + (s.tree_of_slot ? s.word_first[s.tree_of_slot[slot]] : 0), words);
}

/// work(slot, row, element) for every element of every group, lanes without a row included:
/// blockIdx.y walks the groups, a thread takes elements next to its neighbours'.
template <class Work>
__device__ __forceinline__ void for_each_element(const DeviceSchedule& s, const Work& work) {
  for (std::size_t group = blockIdx.y; group < s.n_slots / s.width; group += gridDim.y) {
    const std::size_t begin = s.first_of(group);
    const std::size_t elements = static_cast<std::size_t>(s.rows_of(group)) * s.width;
    for (std::size_t e = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         e < elements; e += static_cast<std::size_t>(gridDim.x) * blockDim.x)
      work(group * s.width + s.lane_at(e), s.row_at(e), begin + e);
  }
}

/// Where a row's node lies in flat values.
struct FlatPlaces {
  const int* system_of_slot;
  const std::size_t* first;  ///< [system]
  const int* node_of_row;
  __device__ std::size_t at(const DeviceSchedule& s, std::size_t slot, int row) const {
    const std::size_t tree = s.tree_of_slot ? s.tree_first[s.tree_of_slot[slot]] : 0;
    return first[system_of_slot[slot]] + node_of_row[tree + row];
  }
};

/// Flat to arranged.
template <class T>
__global__ void arrange_kernel(DeviceSchedule s, FlatPlaces flat, const T* from_diagonal,
                               const T* from_coupling, const T* from_rhs, T* diagonal, T* coupling,
                               T* rhs) {
  for_each_element(s, [&](std::size_t slot, int row, std::size_t element) {
    T d = 1, u = 0, b = 0;
    if (row < s.size_of_slot[slot]) {
      const std::size_t from = flat.at(s, slot, row);
      d = from_diagonal[from];
      if (row > 0) u = from_coupling[from];
      b = from_rhs[from];
    }
    diagonal[element] = d;
    coupling[element] = u;
    rhs[element] = b;
  });
}

/// Arranged to flat.
template <class T>
__global__ void gather_kernel(DeviceSchedule s, FlatPlaces flat, const T* rhs, T* solution) {
  for_each_element(s, [&](std::size_t slot, int row, std::size_t element) {
    if (row < s.size_of_slot[slot]) solution[flat.at(s, slot, row)] = rhs[element];
  });
}

/// Parents interleaved like the values, as the paper has them for unlike neurons.
static __global__ void spread_parents_kernel(DeviceSchedule s, int* parent_of_element) {
  for_each_element(s, [&](std::size_t slot, int row, std::size_t element) {
    parent_of_element[element] = row < s.size_of_slot[slot]
                                     ? s.parent_of_row[s.tree_first[s.tree_of_slot[slot]] + row]
                                     : row - 1;
  });
}

}  // namespace hillock::solver::hines
