#include <cuda_runtime.h>

#include <string>

#include "solver/cuda/device.hpp"
#include "solver/cuda/memory.cuh"

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

DeviceTraits traits_of_device(int device) {
  cudaDeviceProp properties;
  HILLOCK_CUDA(cudaGetDeviceProperties(&properties, device));
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    HILLOCK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return static_cast<double>(value);
  };
  DeviceTraits traits;
  traits.name = properties.name;
  traits.multiprocessors = properties.multiProcessorCount;
  traits.clock_GHz = attribute(cudaDevAttrClockRate) * 1e-6;
  // Two transfers a clock, width in bits.
  traits.memory_GBps = 2 * attribute(cudaDevAttrMemoryClockRate) * 1e-6 *
                       attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  traits.cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  traits.shared_bytes = properties.sharedMemPerMultiprocessor;
  return traits;
}

}  // namespace hillock::solver
