#include <cuda_runtime.h>
#include <fmt/format.h>

#include "solver/cuda/device.hpp"

namespace hillock::solver {

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string describe_device(int device) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(status);
  return fmt::format("{}, {} multiprocessors, {:.1f} GiB", properties.name,
                     properties.multiProcessorCount,
                     static_cast<double>(properties.totalGlobalMem) / (1 << 30));
}

}  // namespace hillock::solver
