#pragma once
// Draws batches of tridiagonal systems on the device, and the stream that the tables of thomas use.

#include <cstdint>

#include "bench/gpu/clock.cuh"
#include "bench/thomas_values.hpp"

namespace hillock::bench {

inline cudaStream_t thomas_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t made{};
    HILLOCK_CUDA(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return stream;
}

/// Rows of system `blockIdx.x` (or of more), contiguous.
template <class Real>
__global__ void draw(Real* values, std::size_t field_stride, const std::uint64_t* start,
                     const std::uint32_t* size, std::uint32_t rows, std::size_t systems) {
  for (std::size_t s = blockIdx.x; s < systems; s += gridDim.x) {
    const std::uint32_t n = size == nullptr ? rows : size[s];
    const std::size_t first = size == nullptr ? s * rows : start[s];
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x)
      draw_thomas_row(values, field_stride, first + i, i, n);
  }
}

template <class Real>
__global__ void fill(Real* values, std::size_t n, Real value) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    values[i] = value;
}

/// Numbers of device memory as host memory.
template <class Real>
std::vector<Real> fetch(const Real* from, std::size_t n) {
  std::vector<Real> to(n);
  HILLOCK_CUDA(cudaMemcpy(to.data(), from, n * sizeof(Real), cudaMemcpyDeviceToHost));
  return to;
}

/// So many sets of values that no set waits in the L2 cache.
inline std::size_t sets_beyond_l2(std::size_t bytes_of_set) {
  constexpr std::size_t beyond_l2 = std::size_t{256} << 20;
  return std::min<std::size_t>(beyond_l2 / bytes_of_set + 1, 400);
}

}  // namespace hillock::bench
