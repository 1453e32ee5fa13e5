#pragma once
// Trees solved in long double: the reference of the branch and contraction tests.

#include <cstddef>
#include <vector>

#include "solver/random_trees.hpp"

namespace hillock::solver {

/// Hines elimination in long double, `repeats` times, each solution the next right-hand side.
template <class Real>
std::vector<long double> in_long_double(const std::vector<int>& parent, const Real* coupling,
                                        const Real* diagonal, const Real* rhs, int repeats = 1) {
  std::vector<long double> x(rhs, rhs + parent.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<long double> d(diagonal, diagonal + parent.size());
    for (std::size_t i = x.size(); i-- > 1;) {
      const auto p = static_cast<std::size_t>(parent[i]);
      const long double f = coupling[i] / d[i];
      d[p] -= f * coupling[i];
      x[p] += f * x[i];
    }
    x[0] /= d[0];
    for (std::size_t i = 1; i < x.size(); ++i)
      x[i] = (x[i] + coupling[i] * x[static_cast<std::size_t>(parent[i])]) / d[i];
  }
  return x;
}

inline std::vector<long double> in_long_double(const TreeSystem& s) {
  return in_long_double(s.parent, s.coupling.data(), s.diagonal.data(), s.rhs.data());
}

}  // namespace hillock::solver
