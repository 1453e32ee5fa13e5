#pragma once
// Several lanes of a warp a system, everything read and written once. Only .cu files of this folder
// include this.
//
// A warp takes a tile of 32/lanes systems that lie one after the other (flat layout); lane t of a
// system owns rows t·m … t·m+m-1. Shared memory of a warp, 5·32·m numbers, lanes·m a system:
//
//   lower[tile] diagonal[tile] upper[tile] rhs[tile] | x[tile]
//
// Bulk copies bring a tile; the lanes eliminate downwards from there into registers, which frees
// the place for the next tile while the rest of the work goes on; x goes to shared memory and
// leaves by bulk copies. m is odd, and with it systems start `lanes` numbers apart modulo 32, so
// that lanes hit different banks. Copies bring a system's own rows alone; what follows them up to
// lanes·m is read all the same, so that no load hangs on a condition. Warps do not wait for each
// other; other warps hide the elimination, in which a warp has no copy under way (a second stage in
// shared memory costs more warps than it gains). Deterministic: lanes meet only in shuffles, in a
// fixed order.

#include <cuda_runtime.h>

#include <cstdint>

#include "solver/batches/thomas/partition.hpp"
#include "solver/cuda/bulk_copy.cuh"

namespace hillock::solver::thomas {

inline constexpr int most_warps = 4;  // of a block

template <class Real>
__device__ __forceinline__ Link<Real> from_lane_above(const Link<Real>& link, int h, int lanes,
                                                      int t) {
  Link<Real> other{__shfl_down_sync(~0u, link.left, h, lanes),
                   __shfl_down_sync(~0u, link.right, h, lanes),
                   __shfl_down_sync(~0u, link.value, h, lanes)};
  return t + h < lanes ? other : no_link<Real>();
}

template <class Real>
__device__ __forceinline__ Link<Real> from_lane_below(const Link<Real>& link, int h, int lanes,
                                                      int t) {
  Link<Real> other{__shfl_up_sync(~0u, link.left, h, lanes),
                   __shfl_up_sync(~0u, link.right, h, lanes),
                   __shfl_up_sync(~0u, link.value, h, lanes)};
  return t >= h ? other : no_link<Real>();
}

/// What follows a system's rows in shared memory.
enum class Tail {
  identity,  ///< rows of the identity with rhs 0
  anything   ///< what earlier systems left
};

/// Solves the system whose lane t this is. in: lower of row 0, fields `field` numbers apart; x:
/// [lanes·m], 0 after the last row. Both in shared memory.
/// read: called once when every lane's numbers are in registers; writable: once before x is
/// written.
template <class Real, int lanes, int m, Tail tail, class Read, class Writable>
__device__ __forceinline__ void solve_lane(const Real* in, int field, Real* x, int t, int rows,
                                           const Read& read, const Writable& writable) {
  Chunk<Real, m> chunk;
  in += t * m;
  const int left = rows - t * m;  // rows of the system from this lane's first one on
  chunk.eliminate_down([&](int i, Real& a, Real& d, Real& c, Real& b) {
    a = in[i];
    d = in[i + field];
    c = in[i + 2 * field];
    b = in[i + 3 * field];
    if (i == 0 && t == 0) a = 0;
    if constexpr (tail == Tail::identity) {
      if (i + 1 == left) c = 0;
    } else {
      const bool inside = i < left;
      a = inside ? a : Real(0);
      d = inside ? d : Real(1);
      c = i + 1 < left ? c : Real(0);
      b = inside ? b : Real(0);
    }
  });
  __syncwarp();
  read();
  chunk.eliminate_up();
  Link<Real> link = chunk.between_last_rows(from_lane_above(chunk.first(), 1, lanes, t));
#pragma unroll
  for (int h = 1; h < lanes; h *= 2) {
    const Link<Real> low = from_lane_below(link, h, lanes, t);
    const Link<Real> high = from_lane_above(link, h, lanes, t);
    link = reduce(link, low, high);
  }
  const Real last = link.value;
  Real before = __shfl_up_sync(~0u, last, 1, lanes);
  if (t == 0) before = 0;
  writable();
  x += t * m;
#pragma unroll
  for (int i = 0; i < m; ++i) x[i] = i < m - 1 ? chunk.solution(i, before, last) : last;
}

/// Blocks a multiprocessor that the compiler should leave registers for.
template <class Real, int m>
constexpr int resident_blocks() {
  constexpr int words = 3 * m * static_cast<int>(sizeof(Real)) / 4;
  return words <= 18    ? 8
         : words <= 30  ? 6
         : words <= 60  ? 5
         : words <= 78  ? 4
         : words <= 102 ? 3
                        : 2;
}

/// Numbers of a field of a tile in shared memory.
template <int m>
inline constexpr int tile_numbers = 32 * m;

/// A warp's tiles of systems of one length: 32 / lanes of them at a time, in shared memory.
/// bulk: systems start on borders of 16 bytes.
template <class Real, int lanes, int m, bool bulk>
struct Tiles {
  static constexpr int systems_a_tile = 32 / lanes;
  static constexpr int system_stride = lanes * m, tile_stride = tile_numbers<m>;
  Real* values;
  std::uint32_t rows;
  std::uint64_t systems, field_stride;
  Real *in, *x;
  std::uint64_t* barrier;
  int lane;
  std::uint32_t bytes;  ///< of a system's field

  __device__ __forceinline__ int systems_in(std::uint64_t tile) const {
    const std::uint64_t left = systems - tile * systems_a_tile;
    return static_cast<int>(left < systems_a_tile ? left : systems_a_tile);
  }

  __device__ __forceinline__ void load(std::uint64_t tile) const {
    const Real* from = values + tile * systems_a_tile * rows;
    const int here = systems_in(tile);
    if constexpr (bulk) {  // one copy a lane: lane = field·systems_a_tile + system
      if (lane == 0) expect_bytes(barrier, 4 * here * bytes);
      __syncwarp();
      const int field = lane / systems_a_tile, system = lane % systems_a_tile;
      if (field < 4 && system < here)
        load_bulk(in + field * tile_stride + system * system_stride,
                  from + field * field_stride + system * rows, bytes, barrier);
    } else {
      for (int field = 0; field < 4; ++field)
        for (int system = 0; system < here; ++system)
          for (std::uint32_t i = lane; i < rows; i += 32)
            load_single(in + field * tile_stride + system * system_stride + i,
                        from + field * field_stride + system * rows + i);
    }
  }

  /// What lies beyond the systems' rows: rows that are tied to nothing.
  __device__ __forceinline__ void fill_up() const {
    for (int system = 0; system < systems_a_tile; ++system)
      for (int i = static_cast<int>(rows) + lane; i < system_stride; i += 32)
        for (int field = 0; field < 4; ++field)
          in[field * tile_stride + system * system_stride + i] = field == 1 ? Real(1) : Real(0);
  }

  __device__ __forceinline__ void store(std::uint64_t tile, int here) const {
    Real* to = values + 3 * field_stride + tile * systems_a_tile * rows;
    if constexpr (bulk) {
      fence_shared_writes();
      __syncwarp();
      if (lane < here) store_bulk(to + lane * rows, x + lane * system_stride, bytes);
    } else {
      __syncwarp();
      for (int system = 0; system < here; ++system)
        for (std::uint32_t i = lane; i < rows; i += 32)
          to[system * rows + i] = x[system * system_stride + i];
    }
  }
};

template <class Real, int lanes, int m, bool bulk>
__global__ void __launch_bounds__(32 * most_warps, (resident_blocks<Real, m>()))
    warp_kernel(Real* values, std::uint32_t rows, std::uint64_t systems,
                std::uint64_t field_stride) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ std::uint64_t barriers[most_warps];
  using Mine = Tiles<Real, lanes, m, bulk>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int t = lane % lanes, s = lane / lanes;
  Real* const in = reinterpret_cast<Real*>(shared) + warp * 5 * Mine::tile_stride;
  Real* const x = in + 4 * Mine::tile_stride;
  std::uint64_t* const barrier = &barriers[warp];
  const std::uint64_t tiles = (systems + Mine::systems_a_tile - 1) / Mine::systems_a_tile;
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / 32);
  const Mine mine{values,       rows, systems,
                  field_stride, in,   x,
                  barrier,      lane, rows * static_cast<std::uint32_t>(sizeof(Real))};

  mine.fill_up();
  if constexpr (bulk)
    if (lane == 0) {
      init_barrier(barrier);
      publish_barriers();
    }
  __syncwarp();
  const std::uint64_t first_tile = blockIdx.x + static_cast<std::uint64_t>(warp) * gridDim.x;
  if (first_tile < tiles) mine.load(first_tile);
  std::uint32_t parity = 0;
  for (std::uint64_t tile = first_tile; tile < tiles; tile += step, parity ^= 1) {
    if constexpr (bulk) {
      wait_phase(barrier, parity);
    } else {
      wait_for_single_loads();
      __syncwarp();
    }
    const int here = mine.systems_in(tile);
    solve_lane<Real, lanes, m, Tail::identity>(
        in + s * Mine::system_stride, Mine::tile_stride, x + s * Mine::system_stride, t,
        static_cast<int>(rows),
        [&] {
          if (tile + step < tiles) mine.load(tile + step);
        },
        [&] {
          if constexpr (bulk) wait_for_stores_to_read();
          __syncwarp();
        });
    mine.store(tile, here);
  }
  if constexpr (bulk) wait_for_stores_to_read();
}

/// Bytes that compact starts leave for so many rows.
template <class Real>
__device__ __forceinline__ std::uint32_t room_of(std::uint32_t rows) {
  return (rows + 3) / 4 * 4 * static_cast<std::uint32_t>(sizeof(Real));
}

/// Calls solve<m>() with m rows a lane that a system of so many finds room in.
template <int most, class Solve>
__device__ __forceinline__ void with_rows_a_lane(std::uint32_t rows, const Solve& solve) {
  if constexpr (most > 17)
    if (rows > 32 * 17) solve.template operator()<most>();
  if constexpr (most > 9) {
    if (rows > 32 * 13 && rows <= 32 * 17) solve.template operator()<17>();
    if (rows > 32 * 9 && rows <= 32 * 13) solve.template operator()<13>();
  }
  if (rows <= 32 * 9) solve.template operator()<9>();
}

/// Systems of different lengths, at most 32·most rows, a warp each; layout compact.
template <class Real, int most>
__global__ void __launch_bounds__(32 * most_warps, (resident_blocks<Real, most>()))
    warp_kernel_variable(Real* values, const std::uint32_t* size, const std::uint64_t* start,
                         std::uint64_t slots, std::uint64_t field_stride) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ std::uint64_t barriers[most_warps];
  constexpr int tile_stride = tile_numbers<most>;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Real* const in = reinterpret_cast<Real*>(shared) + warp * 5 * tile_stride;
  Real* const x = in + 4 * tile_stride;
  std::uint64_t* const barrier = &barriers[warp];
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / 32);
  const auto load = [&](std::uint32_t rows, std::uint64_t begin) {
    const std::uint32_t bytes = room_of<Real>(rows);
    if (lane == 0) expect_bytes(barrier, 4 * bytes);
    __syncwarp();
    if (lane < 4)
      load_bulk(in + lane * tile_stride, values + begin + lane * field_stride, bytes, barrier);
  };
  if (lane == 0) {
    init_barrier(barrier);
    publish_barriers();
  }
  __syncwarp();
  std::uint64_t slot = blockIdx.x + static_cast<std::uint64_t>(warp) * gridDim.x;
  std::uint32_t next_rows = 0;
  std::uint64_t next_begin = 0;
  if (slot < slots) {
    next_rows = size[slot];
    next_begin = start[slot];
    load(next_rows, next_begin);
  }
  std::uint32_t parity = 0;
  for (; slot < slots; slot += step, parity ^= 1) {
    const std::uint32_t rows = next_rows;
    const std::uint64_t begin = next_begin;
    const bool more = slot + step < slots;
    if (more) {  // fetched before they are needed
      next_rows = size[slot + step];
      next_begin = start[slot + step];
    }
    wait_phase(barrier, parity);
    with_rows_a_lane<most>(rows, [&]<int m>() {
      solve_lane<Real, 32, m, Tail::anything>(
          in, tile_stride, x, lane, static_cast<int>(rows),
          [&] {
            if (more) load(next_rows, next_begin);
          },
          [&] {
            wait_for_stores_to_read();
            __syncwarp();
          });
    });
    fence_shared_writes();
    __syncwarp();
    if (lane == 0) store_bulk(values + 3 * field_stride + begin, x, room_of<Real>(rows));
  }
  wait_for_stores_to_read();
}

}  // namespace hillock::solver::thomas
