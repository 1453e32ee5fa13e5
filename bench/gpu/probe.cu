#include "bench/gpu/probe.hpp"

#include <algorithm>

#include "bench/gpu/clock.cuh"

namespace hillock::bench {

namespace {

__global__ void touch(int* where) {
  *where = 1;
}

}  // namespace

std::string why_kernels_do_not_run() {
  int* where = nullptr;
  cudaError_t status = cudaMalloc(&where, sizeof(int));
  if (status == cudaSuccess) {
    touch<<<1, 1>>>(where);
    status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    cudaFree(where);
  }
  return status == cudaSuccess ? "" : cudaGetErrorString(status);
}

void forget_gpu_error() {
  cudaGetLastError();
}

double copy_gb_s() {
  std::size_t free = 0, all = 0;
  HILLOCK_CUDA(cudaMemGetInfo(&free, &all));
  const std::size_t bytes = std::min(std::size_t{4} << 30, free / 4);
  DeviceArray<char> from(bytes), to(bytes);
  HILLOCK_CUDA(cudaMemset(from.data(), 0x5a, bytes));
  const double us = median_us(2, 15, [&] {
    HILLOCK_CUDA(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, nullptr));
  });
  return 2e-3 * static_cast<double>(bytes) / us;
}

}  // namespace hillock::bench
