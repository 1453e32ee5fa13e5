#pragma once
// A double whose quotients may be a unit in the last place off IEEE's, for evaluators whose results
// need not be the CPU's bits. A quotient without branches takes a third of the instructions, and
// those that do not wait for each other overlap. All else is a double's.

#include "mechanisms/runtime/runtime.hpp"

namespace hillock::simulator::on_device {

struct Quick {
  double value = 0;

  Quick() = default;
  __device__ __forceinline__ Quick(double number) : value(number) {}
  __device__ __forceinline__ operator double() const { return value; }
};

/// a/b; where b is 0 or infinite, IEEE's; where 1/b or b is no normal number, as if that were 0.
__device__ __forceinline__ double quick_quotient(double a, double b) {
#ifdef __CUDA_ARCH__
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
  const double error = mechanisms::fma(-b, r, 1.0);
  const double refined = mechanisms::fma(r, mechanisms::fma(error, error, error), r);
  return a * (fabs(error) < 2 ? refined : r);
#else
  return a * (1.0 / b);
#endif
}

__device__ __forceinline__ Quick operator-(Quick a) {
  return -a.value;
}

#define HILLOCK_QUICK_OPERATOR(symbol, result)                          \
  __device__ __forceinline__ Quick operator symbol(Quick x, Quick y) {  \
    const double a = x.value, b = y.value;                              \
    return result;                                                      \
  }                                                                     \
  __device__ __forceinline__ Quick operator symbol(Quick x, double b) { \
    const double a = x.value;                                           \
    return result;                                                      \
  }                                                                     \
  __device__ __forceinline__ Quick operator symbol(double a, Quick y) { \
    const double b = y.value;                                           \
    return result;                                                      \
  }
HILLOCK_QUICK_OPERATOR(+, a + b)
HILLOCK_QUICK_OPERATOR(-, a - b)
HILLOCK_QUICK_OPERATOR(*, a* b)
HILLOCK_QUICK_OPERATOR(/, quick_quotient(a, b))
#undef HILLOCK_QUICK_OPERATOR

// What the mathematics of evaluators are made of.
__device__ __forceinline__ Quick fma(Quick a, Quick b, Quick c) {
  return mechanisms::fma(a.value, b.value, c.value);
}
__device__ __forceinline__ Quick select(bool condition, Quick yes, Quick no) {
  return mechanisms::select(condition, yes.value, no.value);
}
__device__ __forceinline__ Quick lesser(Quick a, Quick b) {
  return mechanisms::lesser(a.value, b.value);
}
__device__ __forceinline__ Quick greater(Quick a, Quick b) {
  return mechanisms::greater(a.value, b.value);
}

template <int n>
__device__ __forceinline__ double on_grid(const mechanisms::Grid<n>& grid, const Quick (&u)[n],
                                          int along) {
  double numbers[n];
  for (int k = 0; k < n; ++k) numbers[k] = u[k].value;
  return mechanisms::on_grid(grid, numbers, along);
}

}  // namespace hillock::simulator::on_device
