#include "simulator/backends/cuda/point_launch.hpp"

#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/backends/cuda/point_source.hpp"

namespace hillock::simulator::cuda {

void launch_points(cudaStream_t stream, cudaKernel_t kernel, unsigned blocks,
                   std::initializer_list<void*> arguments) {
  if (blocks == 0) return;
  HILLOCK_CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                dim3(point_block_threads), const_cast<void**>(arguments.begin()), 0,
                                stream));
}

}  // namespace hillock::simulator::cuda
