#pragma once
// Where all threads of a team meet: a warp, or a block.

#include <cuda_runtime.h>

namespace hillock::solver {

template <bool one_warp>
__device__ __forceinline__ void meet_all() {
  if constexpr (one_warp)
    __syncwarp();
  else
    __syncthreads();
}

}  // namespace hillock::solver
