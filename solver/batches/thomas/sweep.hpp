#pragma once
// The Thomas algorithm on one system, down and up, with any stride: the plain-loop reference.

#include <cstddef>

#include "solver/batches/thomas/arrangement.hpp"

namespace hillock::solver::thomas {

/// Solves one system in place; values: of (row 0, lower). upper is destroyed, rhs becomes x.
/// A pivot of 0 gives values that are not finite; nothing is thrown.
/// Cost: 9 numbers moved and one division a row. Deterministic. Source: Thomas 1949.
template <class Real>
void sweep(Real* values, std::size_t rows, std::size_t row_stride, std::size_t field_stride) {
  const Real* lower = values;
  const Real* diagonal = values + field_stride;
  Real* upper = values + 2 * field_stride;
  Real* rhs = values + 3 * field_stride;
  Real q = Real(1) / diagonal[0];
  Real c = upper[0] = upper[0] * q;
  Real x = rhs[0] = rhs[0] * q;
  for (std::size_t i = 1, at = row_stride; i < rows; ++i, at += row_stride) {
    const Real a = lower[at];
    q = Real(1) / (diagonal[at] - a * c);
    upper[at] = c = upper[at] * q;
    rhs[at] = x = (rhs[at] - a * x) * q;
  }
  for (std::size_t i = rows - 1, at = i * row_stride; i-- > 0;) {
    at -= row_stride;
    rhs[at] = x = rhs[at] - upper[at] * x;
  }
}

/// The same for `width` systems side by side (lane l at values + l); lanes do not affect each
/// other, and each does the arithmetic of sweep().
template <class Real, int width>
void sweep_lanes(Real* values, std::size_t rows, std::size_t row_stride, std::size_t field_stride) {
  const Real* lower = values;
  const Real* diagonal = values + field_stride;
  Real* upper = values + 2 * field_stride;
  Real* rhs = values + 3 * field_stride;
  Real c[width], x[width];
#pragma omp simd
  for (int l = 0; l < width; ++l) {
    const Real q = Real(1) / diagonal[l];
    upper[l] = c[l] = upper[l] * q;
    rhs[l] = x[l] = rhs[l] * q;
  }
  for (std::size_t i = 1, at = row_stride; i < rows; ++i, at += row_stride)
#pragma omp simd
    for (int l = 0; l < width; ++l) {
      const auto p = at + static_cast<std::size_t>(l);
      const Real a = lower[p];
      const Real q = Real(1) / (diagonal[p] - a * c[l]);
      upper[p] = c[l] = upper[p] * q;
      rhs[p] = x[l] = (rhs[p] - a * x[l]) * q;
    }
  for (std::size_t i = rows - 1, at = i * row_stride; i-- > 0;) {
    at -= row_stride;
#pragma omp simd
    for (int l = 0; l < width; ++l) {
      const auto p = at + static_cast<std::size_t>(l);
      rhs[p] = x[l] = rhs[p] - upper[p] * x[l];
    }
  }
}

}  // namespace hillock::solver::thomas
