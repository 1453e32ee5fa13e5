#pragma once
// Marks what host and device share. Names no CUDA type, so any compiler may read it.

#ifdef __CUDACC__
#define HILLOCK_THOMAS_FUNCTION __host__ __device__ __forceinline__
#else
#define HILLOCK_THOMAS_FUNCTION inline
#endif
