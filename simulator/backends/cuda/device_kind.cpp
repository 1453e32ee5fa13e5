// What a program comes to on the device: what CUDA says of its kernel, not what one would expect.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "simulator/backends/cuda/device_program.hpp"

namespace hillock::simulator::cuda {

namespace {

const void* function_of(cudaKernel_t kernel) {
  return reinterpret_cast<const void*>(kernel);
}

cudaFuncAttributes attributes_of(cudaKernel_t kernel) {
  cudaFuncAttributes attributes{};
  HILLOCK_CUDA(cudaFuncGetAttributes(&attributes, function_of(kernel)));
  return attributes;
}

int attribute_of_device(cudaDeviceAttr which) {
  int device = 0, value = 0;
  HILLOCK_CUDA(cudaGetDevice(&device));
  HILLOCK_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace

/// Blocks that run on a multiprocessor at once.
int DeviceProgram::blocks_at_once(cudaKernel_t kernel) const {
  int blocks = 0;
  HILLOCK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function_of(kernel), shape_.block_threads, shape_.shared_bytes()));
  return blocks;
}

/// Throws DeviceExhausted when not one block of the kernel fits onto a multiprocessor.
void DeviceProgram::check_launch(cudaKernel_t kernel) const {
  if (blocks_at_once(kernel) > 0) return;
  const cudaFuncAttributes attributes = attributes_of(kernel);
  throw solver::DeviceExhausted(fmt::format(
      "the GPU cannot start the kernel of {}: a block of {} threads needs {} registers each and {} "
      "bytes of shared memory, and a multiprocessor has {} registers and {} bytes. On the CPU the "
      "model runs (--backend cpu)",
      cells_.population->name, shape_.block_threads, attributes.numRegs,
      shape_.shared_bytes() + attributes.sharedSizeBytes,
      attribute_of_device(cudaDevAttrMaxRegistersPerMultiprocessor),
      attribute_of_device(cudaDevAttrMaxSharedMemoryPerMultiprocessor)));
}

DeviceKind DeviceProgram::describe_kind() const {
  const cudaFuncAttributes attributes = attributes_of(run_epoch_);
  const int threads_of_warp = attribute_of_device(cudaDevAttrWarpSize);
  DeviceKind kind;
  kind.population = cells_.population->name;
  for (const mechanisms::Mechanism* mechanism : cells_.mechanisms)
    if (std::ranges::find(kind.mechanisms, mechanism->signature.name) == kind.mechanisms.end())
      kind.mechanisms.push_back(mechanism->signature.name);
  kind.cells = cell_count();
  kind.rows = std::accumulate(row_counts_.begin(), row_counts_.end(), std::uint64_t{0});
  const auto [fewest, most] = std::ranges::minmax(row_counts_);
  kind.fewest_rows = static_cast<int>(fewest);
  kind.most_rows = static_cast<int>(most);
  kind.threads = shape_.team;
  kind.solver = describe_solver(shape_);
  kind.registers = attributes.numRegs;
  kind.local_bytes = attributes.localSizeBytes;
  kind.shared_bytes = shape_.shared_bytes() + attributes.sharedSizeBytes;
  kind.block_threads = shape_.block_threads;
  kind.blocks = blocks_at_once(run_epoch_);
  kind.warps = kind.blocks * ((shape_.block_threads + threads_of_warp - 1) / threads_of_warp);
  kind.most_warps = attribute_of_device(cudaDevAttrMaxThreadsPerMultiProcessor) / threads_of_warp;
  kind.cells_at_once =
      static_cast<std::uint64_t>(kind.blocks) * static_cast<std::uint64_t>(teams_of_block()) *
      static_cast<std::uint64_t>(attribute_of_device(cudaDevAttrMultiProcessorCount));
  kind.bytes = bytes_;
  return kind;
}

}  // namespace hillock::simulator::cuda
