#pragma once
// Errors of solutions against elimination in long double. The bound is round-off: for couplings of
// about kappa times the diagonal's excess, 8·eps·(1 + kappa)·max|reference| a solve, as in the
// tests of the solvers. Above 1, or not a number, is wrong.

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace hillock::bench {

/// max|x - reference| over the bound. Keeps a NaN.
template <class Real>
double error_over_bound(std::span<const long double> reference, const Real* x, double kappa,
                        int repeats = 1) {
  long double largest = 0, error = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    largest = std::fmax(largest, std::fabs(reference[i]));
    const long double e = std::fabs(reference[i] - static_cast<long double>(x[i]));
    if (std::isnan(e) || e > error) error = e;  // nothing is greater than a NaN: it stays
  }
  const auto eps = static_cast<long double>(std::numeric_limits<Real>::epsilon());
  return static_cast<double>(error /
                             (8 * eps * (1 + static_cast<long double>(kappa)) * largest * repeats));
}

/// The larger of two errors; not a number when one of them is not.
inline double worse(double a, double b) {
  return a <= b || std::isnan(b) ? b : a;
}

/// A tridiagonal system, rows of lower, diagonal, upper and right-hand side.
template <class Real>
std::vector<long double> tridiagonal_reference(std::size_t n, const Real* lower,
                                               const Real* diagonal, const Real* upper,
                                               const Real* rhs) {
  std::vector<long double> d(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = diagonal[i];
    x[i] = rhs[i];
    if (i == 0) continue;
    const long double f = lower[i] / d[i - 1];
    d[i] -= f * upper[i - 1];
    x[i] -= f * x[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) x[i] = (x[i] - (i + 1 < n ? upper[i] * x[i + 1] : 0)) / d[i];
  return x;
}

/// A system on a tree (solver/hines.hpp), solved `repeats` times with the solution as the next
/// right-hand side.
template <class Real>
std::vector<long double> tree_reference(std::span<const int> parent, const Real* diagonal,
                                        const Real* coupling, const Real* rhs, int repeats = 1) {
  const std::size_t n = parent.size();
  std::vector<long double> x(rhs, rhs + n);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<long double> d(diagonal, diagonal + n);
    for (std::size_t i = n; i-- > 1;) {
      const auto p = static_cast<std::size_t>(parent[i]);
      const long double f = static_cast<long double>(coupling[i]) / d[i];
      d[p] -= f * coupling[i];
      x[p] += f * x[i];
    }
    x[0] /= d[0];
    for (std::size_t i = 1; i < n; ++i)
      x[i] = (x[i] + coupling[i] * x[static_cast<std::size_t>(parent[i])]) / d[i];
  }
  return x;
}

}  // namespace hillock::bench
