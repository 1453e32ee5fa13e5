// Spikes on their way: a whole delivery in one kernel, whose threads wait for each other between
// its phases, and the report at an epoch's end. Values of gap junctions.

#include <cooperative_groups.h>

#include <algorithm>

#include "simulator/backends/device/delivery/kernels.hpp"
#include "solver/cuda/bulk_copy.cuh"
#include "solver/cuda/memory.cuh"
#include "solver/device/runtime.hpp"

namespace hillock::simulator::on_device {

namespace {

cudaStream_t own(device::Stream stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}

constexpr unsigned block_threads = 512;
constexpr unsigned warp_threads = 32;
/// Threads that share a piece of a large run.
constexpr unsigned piece_threads = 16;
/// Up to so many events of a cell are a warp's to sort, more are a block's.
constexpr unsigned most_of_warp = 128;

/// Threads that lie side by side in a warp, a power of two.
struct Lanes {
  unsigned count;

  __device__ unsigned rank() const { return threadIdx.x % count; }
  __device__ unsigned size() const { return count; }
  __device__ void sync() const { __syncwarp(mask()); }
  __device__ unsigned of_first(unsigned number) const {
    return __shfl_sync(mask(), number, 0, static_cast<int>(count));
  }
  __device__ unsigned mask() const {
    const unsigned first = threadIdx.x % warp_threads / count * count;
    return (count == warp_threads ? ~0u : (1u << count) - 1) << first;
  }
};
struct Block {
  __device__ unsigned rank() const { return threadIdx.x; }
  __device__ unsigned size() const { return blockDim.x; }
  __device__ void sync() const { __syncthreads(); }
};

struct Grid {
  __device__ unsigned rank() const { return blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ unsigned size() const { return gridDim.x * blockDim.x; }
};

/// Cells with many events: a block those with most, then a warp each of the others.
__device__ void order_long_cells(const DeliveryArrays& a, const Delivery& delivery) {
  const Grid grid;
  const unsigned cells = delivery.totals().long_cells;
  const auto count_of = [&](unsigned cell) { return a.end[cell] - a.begin[cell]; };
  for (unsigned k = blockIdx.x; k < cells; k += gridDim.x)
    if (count_of(a.long_cells[k]) > most_of_warp) delivery.order(a.long_cells[k], Block{});
  for (unsigned k = grid.rank() / warp_threads; k < cells; k += grid.size() / warp_threads)
    if (count_of(a.long_cells[k]) <= most_of_warp)
      delivery.order(a.long_cells[k], Lanes{warp_threads});
}

/// A warp an arrival, or less where there are many, piece_threads a piece of a large run, a thread
/// a cell; those of all blocks wait for each other in between.
__global__ void __launch_bounds__(block_threads)
    deliver(const __grid_constant__ DeliveryArrays a, const __grid_constant__ DeliveryWork work,
            unsigned* spike_count) {
  const auto everyone = cooperative_groups::this_grid();
  const Grid grid;
  const Delivery delivery(a, work);
  if (a.state->halted != 0) return;
  if (!delivery.fits()) {  // so every thread finds
    if (grid.rank() == 0) a.state->halted = 1;
    return;
  }
  if (grid.rank() == 0) a.totals[1 - work.parity] = {};
  const unsigned arrivals = delivery.arrivals();
  Lanes lanes{warp_threads};  // as many as there are for each arrival
  while (lanes.count > 4 && arrivals > grid.size() / lanes.count) lanes.count /= 2;
  for (unsigned i = grid.rank() / lanes.size(); i < arrivals; i += grid.size() / lanes.size())
    delivery.arrive(i, lanes);
  everyone.sync();
  if (grid.rank() == 0) {
    a.state->sent += delivery.new_count();
    *spike_count = 0;
  }
  if (const unsigned large = delivery.totals().large; large > 0) {
    constexpr Lanes some{piece_threads};
    for (unsigned p = grid.rank() / piece_threads; p < large; p += grid.size() / piece_threads)
      delivery.put_large(p, some);
    everyone.sync();
  }
  for (unsigned cell = grid.rank(); cell < a.cells; cell += grid.size()) delivery.settle(cell);
  const unsigned spilled = delivery.totals().spilled;
  if (spilled == 0) return;
  everyone.sync();
  for (unsigned i = grid.rank(); i < min(spilled, a.room_for_spilled); i += grid.size())
    delivery.spread(i);
  everyone.sync();
  order_long_cells(a, delivery);
}

/// A thread an arrival.
__global__ void __launch_bounds__(block_threads)
    count_events(const __grid_constant__ DeliveryArrays a,
                 const __grid_constant__ DeliveryWork work) {
  const Grid grid;
  const Delivery delivery(a, work);
  for (unsigned i = grid.rank(); i < delivery.arrivals(); i += grid.size()) delivery.count(i);
}

/// One block, so that the number of the report comes after all it stands for.
__global__ void __launch_bounds__(1024)
    report_epoch(ReportedSpikes spikes, const Failure* failure, const DeliveryTotals* delivered,
                 DeliveryState* state, EpochReport* report, std::uint64_t number) {
  const unsigned count = *spikes.count;
  for (unsigned i = threadIdx.x; i < count && i < spikes.room; i += blockDim.x)
    spikes.to[i] = spikes.spikes[i];
  if (threadIdx.x == 0) write_report(spikes, count, failure, delivered, *state, *report);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0) return;
  *static_cast<volatile std::uint64_t*>(&report->number) = number;
}

/// A thread an end.
__global__ void __launch_bounds__(block_threads)
    publish(const GapAddress* ends, unsigned count, double* gap_values) {
  const unsigned i = Grid{}.rank();
  if (i < count) gap_values[ends[i].value] = *ends[i].at;
}
__global__ void __launch_bounds__(block_threads)
    read(const GapAddress* ends, unsigned count, const double* gap_values) {
  const unsigned i = Grid{}.rank();
  if (i < count) *ends[i].at = gap_values[ends[i].value];
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

void start_delivery(const DeliveryArrays& arrays, const DeliveryWork& work, unsigned* spike_count,
                    device::Stream stream) {
  DeliveryArrays a = arrays;
  DeliveryWork w = work;
  // Few threads wait for each other sooner than many.
  const unsigned wanted = std::max(arrays.cells, 32 * block_threads);
  const unsigned blocks = std::min(most_blocks(), (wanted + block_threads - 1) / block_threads);
  void* arguments[] = {&a, &w, &spike_count};
  HILLOCK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(deliver), dim3(blocks),
                                           dim3(block_threads), arguments, 0, own(stream)));
}

void start_counting(const DeliveryArrays& arrays, const DeliveryWork& work, device::Stream stream) {
  count_events<<<most_blocks(), block_threads, 0, own(stream)>>>(arrays, work);
  HILLOCK_CUDA(cudaGetLastError());
}

void start_publishing(const GapAddress* ends, unsigned count, double* gap_values,
                      device::Stream stream) {
  if (count == 0) return;
  publish<<<(count + block_threads - 1) / block_threads, block_threads, 0, own(stream)>>>(
      ends, count, gap_values);
  HILLOCK_CUDA(cudaGetLastError());
}

void start_reading(const GapAddress* ends, unsigned count, const double* gap_values,
                   device::Stream stream) {
  if (count == 0) return;
  read<<<(count + block_threads - 1) / block_threads, block_threads, 0, own(stream)>>>(ends, count,
                                                                                       gap_values);
  HILLOCK_CUDA(cudaGetLastError());
}

void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, DeliveryState* state, EpochReport* report,
                  std::uint64_t number, device::Stream stream) {
  report_epoch<<<1, 1024, 0, own(stream)>>>(spikes, failure, delivered, state, report, number);
  HILLOCK_CUDA(cudaGetLastError());
}

}  // namespace hillock::simulator::on_device
