#pragma once
// Batches of trees for the GPU tests of the branch and contraction solvers, with their reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solver/random_trees.hpp"
#include "tests/solver/batches/gpu/on_device.hpp"
#include "tests/solver/tree_reference.hpp"

namespace hillock::solver {

/// The cells of a batch, one after another, with the solutions in long double.
template <class Real>
struct Batch {
  std::vector<Real> coupling, diagonal, rhs;
  std::vector<std::vector<Real>> tree_coupling;  ///< [tree], shared by the cells that have it
  std::vector<std::vector<long double>> solution;

  /// Draws values: the couplings of a tree once, or per cell; diagonals and right-hand sides
  /// always.
  Batch(const std::vector<std::vector<int>>& trees, const std::vector<int>& tree_of, double ratio,
        bool per_system = false, int repeats = 1, Excess excess = Excess::drawn) {
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const TreeSystem s = random_system(trees[t], ratio, 1000 + t);
      tree_coupling.emplace_back(s.coupling.begin(), s.coupling.end());
    }
    for (std::size_t c = 0; c < tree_of.size(); ++c) {
      const auto t = static_cast<std::size_t>(tree_of[c]);
      TreeSystem s = random_system(trees[t], ratio, c, excess);
      std::vector<Real> a(s.coupling.begin(), s.coupling.end());
      if (!per_system) {
        for (std::size_t i = 0; i < a.size(); ++i) {  // swap the drawn couplings for the tree's
          const double change = static_cast<double>(tree_coupling[t][i]) - s.coupling[i];
          s.diagonal[i] += change;
          if (i > 0) s.diagonal[static_cast<std::size_t>(s.parent[i])] += change;
        }
        a = tree_coupling[t];
      }
      coupling.insert(coupling.end(), a.begin(), a.end());
      diagonal.insert(diagonal.end(), s.diagonal.begin(), s.diagonal.end());
      rhs.insert(rhs.end(), s.rhs.begin(), s.rhs.end());
      solution.push_back(in_long_double(trees[t], a.data(), &diagonal[diagonal.size() - a.size()],
                                        &rhs[rhs.size() - a.size()], repeats));
    }
  }

  /// Every cell's largest error is at most 8·eps·(1 + kappa)·max|solution|, once a repeat.
  void expect_solved(const std::vector<Real>& x, double ratio, int repeats = 1) const {
    std::size_t i = 0;
    for (std::size_t c = 0; c < solution.size(); ++c) {
      long double largest = 0, error = 0;
      for (const long double v : solution[c]) {
        largest = std::max(largest, std::fabs(v));
        const long double off = std::fabs(v - static_cast<long double>(x[i++]));
        error = std::isfinite(off) ? std::max(error, off)
                                   : std::numeric_limits<long double>::infinity();
      }
      ASSERT_LE(error, 8 * static_cast<long double>(std::numeric_limits<Real>::epsilon()) *
                           (1 + ratio) * largest * repeats)
          << "cell " << c;
    }
  }
};

/// A device solves the batch twice from host memory: the same bits, and right.
template <class Real, class Device>
void expect_solved_alike_twice(Device& solver, const Batch<Real>& values, bool per_system,
                               double ratio) {
  std::vector<Real> x = values.rhs, again = values.rhs;
  const std::vector<Real> coupling = per_system ? values.coupling : std::vector<Real>{};
  solver.solve_from_host(values.diagonal, x, coupling);
  solver.solve_from_host(values.diagonal, again, coupling);
  EXPECT_EQ(x, again) << "not the same bits twice";
  SCOPED_TRACE(solver.describe() + ", " + std::to_string(values.solution[0].size()) +
               " nodes, ratio " + std::to_string(ratio));
  values.expect_solved(x, ratio);
}

}  // namespace hillock::solver
