#pragma once
// Reciprocals without IEEE division. Only kernels include this.

#include <cuda_runtime.h>

namespace hillock::solver {

/// 1/x to 1 ulp: the hardware's approximation and one step of third order (error e -> e³).
/// |x| must lie between 1e-300 and 1e300.
__device__ inline double reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const double e = __fma_rn(-x, r, 1.0);
  return __fma_rn(r, __fma_rn(e, e, e), r);
}

/// The same with a step of second order. |x| must lie between 1e-37 and 1e37.
__device__ inline float reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return __fmaf_rn(r, __fmaf_rn(-x, r, 1.0f), r);
}

/// Two values that move together.
template <class Real>
struct PairOf;
template <>
struct PairOf<float> {
  using type = float2;
};
template <>
struct PairOf<double> {
  using type = double2;
};

}  // namespace hillock::solver
