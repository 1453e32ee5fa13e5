#pragma once
// What goes wrong in a kernel, kept for the host. Includes no standard header, so that NVRTC can
// compile it.

#include "simulator/backends/device/kernels/views.hpp"

namespace hillock::simulator::on_device {

/// Keeps a failure if it is the first one.
inline __device__ __noinline__ void tell(Failure* kept, Failure failure) {
  Failure& first = *kept;
  while (atomicCAS(&first.lock, 0u, 1u) != 0u) {
  }
  __threadfence();
  const volatile Failure& seen = first;
  const bool is_first = seen.kind == Failure::Kind::none || failure.step < seen.step ||
                        (failure.step == seen.step &&
                         (failure.program < seen.program ||
                          (failure.program == seen.program && failure.cell < seen.cell)));
  if (is_first) {
    first.kind = failure.kind;
    first.refusal = failure.refusal;
    first.program = failure.program;
    first.cell = failure.cell;
    first.block = failure.block;
    first.row = failure.row;
    first.time_ms = failure.time_ms;
    first.step = failure.step;
  }
  __threadfence();
  atomicExch(&first.lock, 0u);
}

}  // namespace hillock::simulator::on_device
