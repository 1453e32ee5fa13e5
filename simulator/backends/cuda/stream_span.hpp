#pragma once
// How long a device takes for what lies between two points of a stream.

#include <cuda_runtime.h>

#include <utility>

#include "solver/cuda/memory.cuh"

namespace hillock::simulator::cuda {

class StreamSpan {
 public:
  StreamSpan() {
    HILLOCK_CUDA(cudaEventCreateWithFlags(&begin_, cudaEventDefault));
    HILLOCK_CUDA(cudaEventCreateWithFlags(&end_, cudaEventDefault));
  }
  StreamSpan(StreamSpan&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), end_(std::exchange(other.end_, nullptr)) {}
  StreamSpan& operator=(StreamSpan&&) = delete;
  ~StreamSpan() {
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
  }

  void begin(cudaStream_t stream) { HILLOCK_CUDA(cudaEventRecord(begin_, stream)); }
  void end(cudaStream_t stream) { HILLOCK_CUDA(cudaEventRecord(end_, stream)); }
  /// When both have been reached.
  double seconds() const {
    float ms = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return static_cast<double>(ms) * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace hillock::simulator::cuda
