#pragma once
// What the tables ask a GPU before they measure. Plain C++; defined in builds with CUDA alone.

#include <string>

namespace hillock::bench {

/// Empty when a kernel of this build runs on device 0, else CUDA's words.
std::string why_kernels_do_not_run();

/// Clears what a failed allocation leaves behind, so that later launches are not blamed for it.
void forget_gpu_error();

/// GB/s read and written by a device-to-device copy of 4 GiB (less where the memory is small).
double copy_gb_s();

}  // namespace hillock::bench
