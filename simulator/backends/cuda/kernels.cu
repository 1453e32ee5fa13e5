// Spikes on their way: a whole delivery in one kernel, whose threads wait for each other between
// its phases, and the report at an epoch's end. Values of gap junctions; potentials outside.

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

/// What a thread of potentials has, that shared memory is read no longer than multiplying takes.
constexpr unsigned own_contacts = solver::contacts_at_once, own_samples = 8;
/// And a block of them at most; of sources, one tile after the other.
constexpr unsigned most_contact_threads = 16, most_sample_threads = 8, tile_sources = 8;
constexpr unsigned potential_threads = most_contact_threads * most_sample_threads;

constexpr unsigned pieces(unsigned count, unsigned of) {
  return (count + of - 1) / of;
}

/// Contacts and samples dealt out to blocks of threads, as few to each as so many blocks allow.
struct PotentialBlocks {
  unsigned contact_cuts, contact_threads;
  unsigned sample_cuts, sample_threads;

  explicit PotentialBlocks(const PotentialWork& work)
      : contact_cuts(pieces(work.blocks, most_contact_threads)),
        contact_threads(pieces(work.blocks, contact_cuts)),
        sample_cuts(pieces(work.samples, own_samples * most_sample_threads)),
        sample_threads(pieces(pieces(work.samples, own_samples), sample_cuts)) {}

  unsigned threads() const {
    return pieces(contact_threads * sample_threads, warp_threads) * warp_threads;
  }
};

/// The place, in a tile, of a number of a thread: two lie side by side, so that one access has
/// both, and the next thread's behind them.
__device__ __forceinline__ constexpr unsigned place_in_tile(unsigned thread, unsigned number,
                                                            unsigned threads) {
  return number / 2 * (2 * threads) + 2 * thread + number % 2;
}

/// Some sources: their currents, and their maps; 0 where there are none.
struct SourceTile {
  // What lies between rows keeps threads that put a column off each other's banks.
  double currents[tile_sources][most_sample_threads * own_samples + 2];
  double maps[tile_sources][most_contact_threads * own_contacts + 8];
};

/// All of a block's threads bring a tile, which is on its way then.
__device__ __forceinline__ void bring(const PotentialWork& work, const PotentialBlocks& blocks,
                                      const MappedCell& cell, unsigned begin, SourceTile& tile) {
  const unsigned first_sample = blockIdx.y * blocks.sample_threads * own_samples;
  for (unsigned k = threadIdx.x; k < blocks.sample_threads * own_samples * tile_sources;
       k += blockDim.x) {
    const unsigned s = k / tile_sources, source = k % tile_sources, sample = first_sample + s;
    double& to = tile.currents[source][s];
    if (sample < work.samples && begin + source < cell.columns)
      solver::load_single(
          &to, work.currents + sample * work.row_length + cell.first_column + begin + source);
    else
      to = 0;
  }
  constexpr unsigned pairs = own_contacts / 2;
  const unsigned first_block = blockIdx.x % blocks.contact_cuts * blocks.contact_threads;
  for (unsigned k = threadIdx.x; k < blocks.contact_threads * tile_sources * pairs;
       k += blockDim.x) {
    const unsigned b = k / (tile_sources * pairs), source = k / pairs % tile_sources;
    const unsigned long long block = first_block + b;
    auto* const to = reinterpret_cast<double2*>(&tile.maps[source][b * own_contacts]) + k % pairs;
    const double* const from =
        work.maps + cell.map + (block * cell.columns + begin + source) * own_contacts;
    if (block < work.blocks && begin + source < cell.columns)
      solver::load_single(to, reinterpret_cast<const double2*>(from) + k % pairs);
    else
      *to = {0, 0};
  }
}

template <unsigned count>
__device__ __forceinline__ void own_of(const double* row, unsigned thread, unsigned threads,
                                       double (&own)[count]) {
#pragma unroll
  for (unsigned k = 0; k < count; k += 2) {
    const auto two = *reinterpret_cast<const double2*>(row + place_in_tile(thread, k, threads));
    own[k] = two.x;
    own[k + 1] = two.y;
  }
}

/// A block has one cell at some contacts, which those next to it share with it, and some samples.
__global__ void __launch_bounds__(potential_threads, 2)
    add_potentials(const PotentialWork work, const PotentialBlocks blocks) {
  __shared__ __align__(16) SourceTile tiles[2];
  const MappedCell cell = work.cells[blockIdx.x / blocks.contact_cuts];
  const unsigned contact_thread = threadIdx.x % blocks.contact_threads;
  const unsigned sample_thread = threadIdx.x / blocks.contact_threads;
  const bool has_some = sample_thread < blocks.sample_threads;
  double potentials[own_samples][own_contacts] = {};
  bring(work, blocks, cell, 0, tiles[0]);
  for (unsigned begin = 0, t = 0; begin < cell.columns; begin += tile_sources, t ^= 1) {
    solver::wait_for_single_loads();
    __syncthreads();  // the tile is there, and the other one done with
    if (begin + tile_sources < cell.columns)
      bring(work, blocks, cell, begin + tile_sources, tiles[t ^ 1]);
    if (!has_some) continue;
#pragma unroll 2
    for (unsigned source = 0; source < tile_sources; ++source) {
      double map[own_contacts], currents[own_samples];
      own_of(tiles[t].maps[source], contact_thread, blocks.contact_threads, map);
      own_of(tiles[t].currents[source], sample_thread, blocks.sample_threads, currents);
#pragma unroll
      for (unsigned s = 0; s < own_samples; ++s)
#pragma unroll
        for (unsigned k = 0; k < own_contacts; ++k)
          potentials[s][k] = fma(map[k], currents[s], potentials[s][k]);
    }
  }
  if (!has_some) return;
  // Adding multiples of one spacing is exact, in whatever order cells come.
  const unsigned contacts = work.blocks * own_contacts;
  const unsigned first_sample = blockIdx.y * blocks.sample_threads * own_samples;
  const unsigned first_contact =
      blockIdx.x % blocks.contact_cuts * blocks.contact_threads * own_contacts;
#pragma unroll
  for (unsigned s = 0; s < own_samples; ++s) {
    const unsigned sample = first_sample + place_in_tile(sample_thread, s, blocks.sample_threads);
    if (sample >= work.samples) continue;
    double* const to = work.sums + sample * solver::sums_size(contacts);
#pragma unroll
    for (unsigned k = 0; k < own_contacts; ++k) {
      const unsigned contact =
          first_contact + place_in_tile(contact_thread, k, blocks.contact_threads);
      if (contact >= contacts) continue;
      ExactSum::add(potentials[s][k], [&](std::size_t part, double some) {
        if (some != 0) atomicAdd(to + solver::place_in_sums(part, contact), some);
      });
    }
  }
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

void start_potentials(const PotentialWork& work, device::Stream stream) {
  if (work.cell_count == 0) return;
  const PotentialBlocks blocks(work);
  add_potentials<<<dim3(work.cell_count * blocks.contact_cuts, blocks.sample_cuts),
                   blocks.threads(), 0, own(stream)>>>(work, blocks);
  HILLOCK_CUDA(cudaGetLastError());
}

void start_report(const ReportedSpikes& spikes, const Failure* failure,
                  const DeliveryTotals* delivered, DeliveryState* state, EpochReport* report,
                  std::uint64_t number, device::Stream stream) {
  report_epoch<<<1, 1024, 0, own(stream)>>>(spikes, failure, delivered, state, report, number);
  HILLOCK_CUDA(cudaGetLastError());
}

}  // namespace hillock::simulator::on_device
