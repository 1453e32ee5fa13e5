// Spikes on their way: a whole delivery in one kernel, whose threads wait for each other between
// its phases, and the report at an epoch's end.

#include <cooperative_groups.h>

#include <algorithm>

#include "simulator/backends/cuda/kernels.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::simulator::cuda {

namespace {

constexpr unsigned block_threads = 512;
constexpr unsigned warp_threads = 32;
/// Threads that share a piece.
constexpr unsigned piece_threads = 16;
/// Up to so many events a cell has a thread, and a warp; with more it has a block.
constexpr unsigned few_events = 4, some_events = 128;

/// Threads that lie side by side in a warp.
struct Lanes {
  unsigned number, count;

  __device__ unsigned rank() const { return number; }
  __device__ unsigned size() const { return count; }
};
struct Block {
  __device__ unsigned rank() const { return threadIdx.x; }
  __device__ unsigned size() const { return blockDim.x; }
  __device__ void sync() const { __syncthreads(); }
};

/// The sum of the numbers of the block's threads before this one; `all`: of all of them.
__device__ unsigned sum_before(unsigned number, unsigned& all) {
  __shared__ unsigned of_warp[block_threads / warp_threads];
  const unsigned lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
  unsigned sum = number;
  for (unsigned far = 1; far < warp_threads; far *= 2) {
    const unsigned before = __shfl_up_sync(~0u, sum, far);
    if (lane >= far) sum += before;
  }
  __syncthreads();  // those of the last call were read
  if (lane == warp_threads - 1) of_warp[warp] = sum;
  __syncthreads();
  unsigned before = 0;
  all = 0;
  for (unsigned w = 0; w < block_threads / warp_threads; ++w) {
    if (w == warp) before = all;
    all += of_warp[w];
  }
  return before + sum - number;
}

/// Gives every cell its room. Whole blocks call it, with cells or without.
__device__ void make_room(const DeliveryArrays& a, DeliveryTotals& totals) {
  __shared__ unsigned first;
  for (unsigned begin = blockIdx.x * blockDim.x; begin < a.cells; begin += gridDim.x * blockDim.x) {
    const unsigned cell = begin + threadIdx.x;
    const unsigned count = cell < a.cells ? a.counts[cell] : 0;
    unsigned all = 0;
    const unsigned before = sum_before(count, all);
    if (threadIdx.x == 0) first = all > 0 ? atomicAdd(&totals.filled, all) : 0;
    __syncthreads();
    if (cell < a.cells) {
      a.begin[cell] = first + before;
      a.end[cell] = first + before + count;
      if (count > 0) a.counts[cell] = 0;
      if (count > some_events) a.long_cells[atomicAdd(&totals.long_cells, 1u)] = cell;
    }
    __syncthreads();
  }
}

__device__ void order(const DeliveryArrays& a, const Delivery& delivery, unsigned long_cells) {
  for (unsigned k = blockIdx.x; k < long_cells; k += gridDim.x)
    delivery.order_many(a.long_cells[k], Block{});
  const unsigned lane = threadIdx.x % warp_threads;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned begin = thread - lane; begin < a.cells; begin += gridDim.x * blockDim.x) {
    const unsigned cell = begin + lane;
    const unsigned count = cell < a.cells ? a.end[cell] - a.begin[cell] : 0;
    if (count > 0 && count <= few_events) delivery.order_few(cell, OneThread{});
    unsigned some = __ballot_sync(~0u, count > few_events && count <= some_events);
    for (; some != 0; some &= some - 1)
      delivery.order_few(begin + static_cast<unsigned>(__ffs(some)) - 1, Lanes{lane, warp_threads});
  }
}

/// A thread an arrival, `piece_threads` a piece, a thread a cell for its room, then for its order a
/// thread, a warp or a block. Where a cell's events lie depends on chance, their order does not.
__global__ void __launch_bounds__(block_threads)
    deliver(const __grid_constant__ DeliveryArrays a, const __grid_constant__ DeliveryWork work,
            DeliveryPhases phases) {
  const auto grid = cooperative_groups::this_grid();
  const Delivery delivery(a, work);
  DeliveryTotals& totals = a.totals[work.parity];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  if (thread == 0) a.totals[1 - work.parity] = {};
  for (unsigned i = thread; i < delivery.arrivals(); i += threads) delivery.find(i);
  grid.sync();
  if (phases == DeliveryPhases::find || !delivery.fits()) return;
  const Lanes lanes{threadIdx.x % piece_threads, piece_threads};
  const unsigned pieces = delivery.pieces();
  for (unsigned p = thread / piece_threads; p < pieces; p += threads / piece_threads)
    delivery.count(p, lanes);
  grid.sync();
  make_room(a, totals);
  grid.sync();
  for (unsigned p = thread / piece_threads; p < pieces; p += threads / piece_threads)
    delivery.fill(p, lanes);
  grid.sync();
  order(a, delivery, totals.long_cells);
}

__global__ void report_epoch(ReportedSpikes spikes, const Failure* failure,
                             const DeliveryTotals* delivered, EpochReport* report) {
  const unsigned count = *spikes.count, thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = thread; i < count && i < spikes.room; i += gridDim.x * blockDim.x)
    spikes.to[i] = spikes.spikes[i];
  if (thread != 0) return;
  report->spikes = count;
  report->failure = *failure;
  if (delivered) report->delivered = *delivered;
}

/// As many blocks as may wait for each other.
unsigned most_blocks() {
  static const unsigned count = [] {
    int device = 0, multiprocessors = 0, each = 0;
    HILLOCK_CUDA(cudaGetDevice(&device));
    HILLOCK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, deliver, block_threads, 0));
    return static_cast<unsigned>(multiprocessors * std::clamp(each, 1, 2));
  }();
  return count;
}

}  // namespace

void start_delivery(const DeliveryArrays& arrays, const DeliveryWork& work, DeliveryPhases phases,
                    cudaStream_t stream) {
  DeliveryArrays a = arrays;
  DeliveryWork w = work;
  // Few threads wait for each other sooner than many.
  const unsigned wanted = std::max({arrays.cells, work.spike_count, 1u});
  const unsigned blocks = std::min(most_blocks(), (wanted + block_threads - 1) / block_threads);
  void* arguments[] = {&a, &w, &phases};
  HILLOCK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(deliver), dim3(blocks),
                                           dim3(block_threads), arguments, 0, stream));
}

void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, EpochReport* report, cudaStream_t stream) {
  constexpr unsigned blocks = 16, threads = 256;
  report_epoch<<<blocks, threads, 0, stream>>>(spikes, failure, delivered, report);
  HILLOCK_CUDA(cudaGetLastError());
  HILLOCK_CUDA(cudaMemsetAsync(spikes.count, 0, sizeof *spikes.count, stream));
}

}  // namespace hillock::simulator::cuda
