#pragma once
// The check of every CUDA call, and memory for what solves batches. Included only where a build has
// CUDA.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "solver/cuda/device.hpp"
#include "solver/device/array.hpp"

namespace hillock::solver {

/// Throws DeviceExhausted or DeviceError.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file,
                                   int line);

inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status != cudaSuccess) throw_cuda_error(status, call, file, line);
}

/// Throws DeviceError with the call's text and place when the call fails, and DeviceExhausted when
/// it fails for want of memory.
#define HILLOCK_CUDA(call) ::hillock::solver::check_cuda((call), #call, __FILE__, __LINE__)

/// Memory on the current device, for cudaFree(). Throws DeviceExhausted with how much there is.
void* allocate_on_device(std::size_t bytes);

template <class T>
using DeviceArray = device::Array<T>;

}  // namespace hillock::solver
