#pragma once
// One thread a system. Only .cu files of this folder include this.
//
// Thread j solves system j: forward it leaves upper/pivot in upper and the reduced right-hand side
// in rhs, backward it turns that into x. In the interleaved layouts the threads of a warp touch
// neighbouring numbers in every row; in the flat layout each touches a line of its own (the paper's
// point). Rows are fetched `ahead` at a time, since a store between two loads would keep the
// compiler from doing so. Deterministic: no thread reads what another writes.

#include <cstddef>

#include "solver/batches/thomas/partition.hpp"

namespace hillock::solver::thomas {

template <class Real, int ahead>
__device__ __forceinline__ void sweep_system(Real* values, std::size_t rows, std::size_t row_stride,
                                             std::size_t field_stride) {
  const Real* lower = values;
  const Real* diagonal = values + field_stride;
  Real* upper = values + 2 * field_stride;
  Real* rhs = values + 3 * field_stride;
  Real c = 0, x = 0;
  std::size_t i = 0, at = 0;
  const auto eliminate = [&](Real a, Real d, Real u, Real b) {
    const Real q = newton_reciprocal(d - a * c);
    c = u * q;
    x = (b - a * x) * q;
  };
  for (; i + ahead <= rows; i += ahead, at += ahead * row_stride) {
    Real a[ahead], d[ahead], u[ahead], b[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const std::size_t p = at + k * row_stride;
      a[k] = lower[p];
      d[k] = diagonal[p];
      u[k] = upper[p];
      b[k] = rhs[p];
    }
    if (i == 0) a[0] = 0;
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      eliminate(a[k], d[k], u[k], b[k]);
      upper[at + k * row_stride] = c;
      rhs[at + k * row_stride] = x;
    }
  }
  for (; i < rows; ++i, at += row_stride) {
    eliminate(i == 0 ? Real(0) : lower[at], diagonal[at], upper[at], rhs[at]);
    upper[at] = c;
    rhs[at] = x;
  }
  --i;
  at -= row_stride;
  for (; i >= ahead; i -= ahead) {
    Real u[ahead], b[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      u[k] = upper[at - (k + 1) * row_stride];
      b[k] = rhs[at - (k + 1) * row_stride];
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      x = b[k] - u[k] * x;
      at -= row_stride;
      rhs[at] = x;
    }
  }
  for (; i > 0; --i) {
    at -= row_stride;
    x = rhs[at] - upper[at] * x;
    rhs[at] = x;
  }
}

}  // namespace hillock::solver::thomas
