#include <cuda_runtime.h>

#include <string>

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
  return std::string(properties.name) + ", " + std::to_string(properties.multiProcessorCount) +
         " multiprocessors, " + std::to_string(properties.totalGlobalMem >> 30) + " GiB";
}

}  // namespace hillock::solver
