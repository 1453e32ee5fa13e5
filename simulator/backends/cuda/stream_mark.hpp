#pragma once
// A point in a stream that another one waits for.

#include <cuda_runtime.h>

#include <utility>

#include "solver/cuda/memory.cuh"

namespace hillock::simulator::cuda {

class StreamMark {
 public:
  StreamMark() { HILLOCK_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  StreamMark(StreamMark&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  StreamMark& operator=(StreamMark&&) = delete;
  ~StreamMark() {
    if (event_) cudaEventDestroy(event_);
  }

  /// Here, behind all that is in the stream.
  void record(cudaStream_t stream) { HILLOCK_CUDA(cudaEventRecord(event_, stream)); }
  /// What comes into a stream from now on waits for the mark.
  void hold(cudaStream_t stream) const { HILLOCK_CUDA(cudaStreamWaitEvent(stream, event_, 0)); }
  /// The host waits for it.
  void wait() const { HILLOCK_CUDA(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace hillock::simulator::cuda
