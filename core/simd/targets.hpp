#pragma once
// Marks of code that is compiled for more than one machine: host and device, one instruction set
// and another. Includes nothing, so that NVRTC can compile it.

/// A function that host and device share.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HILLOCK_FUNCTION __host__ __device__ inline
#else
#define HILLOCK_FUNCTION inline
#endif

/// The instruction set of this compilation, and the inline namespace of what it instantiates
/// (core/simd/isa.hpp). On a device there is nothing to tell apart.
#if !defined(HILLOCK_ISA)
#define HILLOCK_ISA baseline
#endif

/// Defined where a·b + c rounded once is an instruction; elsewhere it is a call to the C library.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define HILLOCK_HAS_FMA
#endif
