#pragma once
// The GPU's clock: medians between CUDA events. Included by .cu files of bench alone.

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "bench/timing.hpp"
#include "solver/cuda/memory.cuh"

namespace hillock::bench {

using solver::DeviceArray;

/// Two events around work that is queued on a stream.
class EventTimer {
 public:
  explicit EventTimer(cudaStream_t stream = nullptr) : stream_(stream) {
    HILLOCK_CUDA(cudaEventCreate(&begin_));
    HILLOCK_CUDA(cudaEventCreate(&end_));
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  ~EventTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  /// Microseconds of what work() queues; waits for its end.
  template <class Work>
  double operator()(const Work& work) {
    HILLOCK_CUDA(cudaEventRecord(begin_, stream_));
    work();
    HILLOCK_CUDA(cudaEventRecord(end_, stream_));
    HILLOCK_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    HILLOCK_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * static_cast<double>(ms);
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// Median microseconds of `runs` runs after `warm_up` others.
inline double median_us(int warm_up, int runs, const std::function<void()>& work,
                        cudaStream_t stream = nullptr) {
  EventTimer timer(stream);
  std::vector<double> us;
  for (int run = 0; run < warm_up + runs; ++run) {
    const double once = timer(work);
    if (run >= warm_up) us.push_back(once);
  }
  return summary(us).us;
}

/// Time of one work(set), the sets one after the other in one CUDA graph (one set: a plain launch).
/// restore() before every repeat is not timed; the first repeat warms up.
inline Timing time_sets(cudaStream_t stream, std::size_t sets, const std::function<void()>& restore,
                        const std::function<void(std::size_t)>& work, int repeats = 9,
                        double budget_s = 0.3) {
  EventTimer timer(stream);
  cudaGraphExec_t graph = nullptr;
  if (sets > 1) {
    cudaGraph_t captured{};
    HILLOCK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (std::size_t set = 0; set < sets; ++set) work(set);
    HILLOCK_CUDA(cudaStreamEndCapture(stream, &captured));
    HILLOCK_CUDA(cudaGraphInstantiate(&graph, captured, 0));
    HILLOCK_CUDA(cudaGraphDestroy(captured));
  }
  std::vector<double> us;
  const double start = seconds();
  for (int repeat = -1; repeat < repeats; ++repeat) {
    restore();
    const double once = timer([&] {
      if (graph != nullptr)
        HILLOCK_CUDA(cudaGraphLaunch(graph, stream));
      else
        work(0);
    });
    if (repeat >= 0) us.push_back(once / static_cast<double>(sets));
    if (us.size() >= 3 && seconds() - start > budget_s) break;
  }
  if (graph != nullptr) HILLOCK_CUDA(cudaGraphExecDestroy(graph));
  return summary(us, sets);
}

}  // namespace hillock::bench
