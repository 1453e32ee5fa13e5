#pragma once
// How kernels of point neurons are launched.

#include <cuda_runtime.h>

#include <initializer_list>

namespace hillock::simulator::cuda {

/// Launches blocks of point_block_threads threads; without blocks nothing. arguments: their
/// addresses. Throws solver::DeviceError.
void launch_points(cudaStream_t stream, cudaKernel_t kernel, unsigned blocks,
                   std::initializer_list<void*> arguments);

}  // namespace hillock::simulator::cuda
