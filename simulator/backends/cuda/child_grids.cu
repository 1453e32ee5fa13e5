// A library of its own: see child_grids.hpp.

#include "simulator/backends/device/points/child_grids.hpp"

#include "simulator/backends/device/kernels/point_propagation.hpp"

namespace hillock::simulator::on_device {

namespace {

constexpr unsigned threads = 256;

/// A thread a synapse.
__global__ void pass_range(const PointTable* table, SynapseRange range, long long step) {
  const unsigned synapse = range.begin + blockIdx.x * threads + threadIdx.x;
  if (synapse < range.end) pass_synapse(*table, synapse, step);
}

/// The spikes [begin, end) of the log: a warp a piece.
__global__ void pass_some(const PointNetwork network, unsigned begin, unsigned end,
                          long long first) {
  propagate_queue(network, begin, end, first, blockIdx.x * (threads / 32) + threadIdx.x / 32,
                  gridDim.x * (threads / 32), threadIdx.x % 32);
}

__device__ void end_step(const PointNetwork& network, long long step, unsigned end) {
  if (blockIdx.x == 0 && threadIdx.x == 0) network.log.begin[(step + 1) % 2] = end;
}

/// A thread a spike starts a grid for each table that has synapses of it.
__global__ void start_for_spikes(const PointNetwork network, long long step, long long first,
                                 ChildGridCounts* counts) {
  const unsigned begin = network.log.begin[step % 2], end = *network.log.count;
  const unsigned at = begin + blockIdx.x * threads + threadIdx.x;
  if (at < end)
    propagate_by_grids(network, network.log.spikes[at], first,
                       [&](const PointTable& table, SynapseRange range, long long time) {
                         const unsigned blocks = (range.end - range.begin + threads - 1) / threads;
                         pass_range<<<blocks, threads, 0, cudaStreamFireAndForget>>>(&table, range,
                                                                                     time);
                         const bool is_started = cudaGetLastError() == cudaSuccess;
                         atomicAdd(is_started ? &counts->started : &counts->refused, 1ull);
                         return is_started;
                       });
  end_step(network, step, end);
}

/// The first thread of a block starts a grid for all of the block's spikes.
__global__ void start_for_blocks(const PointNetwork network, long long step, long long first,
                                 ChildGridCounts* counts) {
  __shared__ bool is_refused;
  const unsigned all_begin = network.log.begin[step % 2], all_end = *network.log.count;
  const unsigned begin = all_begin + blockIdx.x * threads;
  const unsigned end = begin + threads < all_end ? begin + threads : all_end;
  if (begin < all_end) {
    if (threadIdx.x == 0) {
      const unsigned pieces = (end - begin) * network.most_pieces;
      pass_some<<<(pieces + threads / 32 - 1) / (threads / 32), threads, 0,
                  cudaStreamFireAndForget>>>(network, begin, end, first);
      is_refused = cudaGetLastError() != cudaSuccess;
      atomicAdd(is_refused ? &counts->refused : &counts->started, 1ull);
    }
    __syncthreads();
    if (is_refused)
      propagate_queue(network, begin, end, first, threadIdx.x / 32, threads / 32, threadIdx.x % 32);
  }
  end_step(network, step, all_end);
}

int set_limit(unsigned pending) {
  return cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, pending);
}

int propagate(const PointNetwork& network, long long step, long long first, unsigned most,
                      bool by_block, ChildGridCounts* counts, device::Stream its) {
  const auto stream = reinterpret_cast<cudaStream_t>(its);
  const unsigned blocks = (most + threads - 1) / threads;
  if (network.most_pieces == 0 || blocks == 0) return cudaSuccess;
  if (by_block)
    start_for_blocks<<<blocks, threads, 0, stream>>>(network, step, first, counts);
  else
    start_for_spikes<<<blocks, threads, 0, stream>>>(network, step, first, counts);
  return cudaGetLastError();
}

}  // namespace

}  // namespace hillock::simulator::on_device

extern "C" const hillock::simulator::on_device::ChildGrids hillock_child_grids = {
    sizeof(hillock::simulator::on_device::PointNetwork), hillock::simulator::on_device::set_limit,
    hillock::simulator::on_device::propagate};
