#pragma once
// Values drawn once, repeated over a batch on the device. Included by .cu files of bench alone.

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "solver/cuda/memory.cuh"

namespace hillock::bench {

/// value i of the batch is value i mod period of what was drawn.
template <class T>
__global__ void tile_kernel(const T* drawn, std::size_t period, T* all, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    all[i] = drawn[i % period];
}

/// Waits for the end.
template <class T>
void tile(const std::vector<T>& drawn, T* all, std::size_t n) {
  const solver::DeviceArray<T> period(drawn);
  tile_kernel<<<1024, 256>>>(period.data(), drawn.size(), all, n);
  HILLOCK_CUDA(cudaGetLastError());
  HILLOCK_CUDA(cudaDeviceSynchronize());
}

}  // namespace hillock::bench
