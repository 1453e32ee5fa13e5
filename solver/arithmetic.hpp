#pragma once
// What the arithmetic of all families shares between host and device: the mark of such a function,
// pairs, reciprocals. Compiles with any C++ compiler, with nvcc and with NVRTC: it and all that is
// to be called from a kernel include no header of any library.

#ifdef __CUDACC__
#define HILLOCK_SOLVER_FUNCTION __host__ __device__ __forceinline__
#else
#define HILLOCK_SOLVER_FUNCTION inline
#endif

namespace hillock::solver {

/// Two values that move together, in one access where memory allows.
template <class Real>
struct alignas(2 * sizeof(Real)) Pair {
  Real x, y;
};

/// a·b + c, rounded once.
template <class Real>
HILLOCK_SOLVER_FUNCTION Real multiply_add(Real a, Real b, Real c) {
#ifdef __CUDA_ARCH__
  return fma(a, b, c);
#else
  if constexpr (sizeof(Real) == sizeof(double))
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c);
#endif
}

/// 1/x within 1 ulp. On the host a division; on the device the hardware's approximation and one
/// step of third order (double; error e -> e³) or second order (float), without the slow path of
/// IEEE division: |x| must lie between 1e-300 and 1e300, 1e-37 and 1e37 for float.
template <class Real>
HILLOCK_SOLVER_FUNCTION Real reciprocal(Real x) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Real) == 8) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double error = fma(-x, r, 1.0);
    return fma(r, fma(error, error, error), r);
  } else {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return fmaf(r, fmaf(-x, r, 1.0f), r);
  }
#else
  return Real(1) / x;
#endif
}

/// The same where one reciprocal waits for the last: float without the second step.
template <class Real>
HILLOCK_SOLVER_FUNCTION Real quick_reciprocal(Real x) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Real) == 4) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
  }
#endif
  return reciprocal(x);
}

}  // namespace hillock::solver
