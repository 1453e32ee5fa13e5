#pragma once
// Cells drawn once and repeated over a batch, in double precision, on the host: what the tables
// branch and contraction solve. On the device: bench/gpu/tree_solvers.cuh.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bench/reference.hpp"
#include "solver/batch.hpp"
#include "solver/random_trees.hpp"

namespace hillock::bench {

struct DrawnCells {
  static constexpr double kappa = 10;
  std::vector<std::vector<int>> trees;         ///< [drawn cell]
  std::vector<std::vector<double>> couplings;  ///< [drawn cell]
  std::vector<double> diagonal, rhs;           ///< drawn cells one after another

  /// couplings are those of solver::random_system(tree, 10, 1), whatever the cell.
  explicit DrawnCells(const std::vector<std::vector<int>>& drawn_trees) : trees(drawn_trees) {
    for (std::size_t c = 0; c < trees.size(); ++c) {
      const auto s = solver::random_system(trees[c], kappa, 1, solver::Excess::one);
      const auto other = solver::random_system(trees[c], kappa, 100 + c);
      diagonal.insert(diagonal.end(), s.diagonal.begin(), s.diagonal.end());
      rhs.insert(rhs.end(), other.rhs.begin(), other.rhs.end());
      couplings.push_back(s.coupling);
    }
  }

  /// Largest error over the bound of those drawn cells that lie in the first `count` values.
  double error(const double* x, std::size_t count, int repeats) const {
    double worst = 0;
    std::size_t first = 0;
    for (std::size_t c = 0; c < trees.size() && first < count; ++c) {
      const auto reference = tree_reference(std::span<const int>(trees[c]), diagonal.data() + first,
                                            couplings[c].data(), rhs.data() + first, repeats);
      worst = worse(worst, error_over_bound(std::span<const long double>(reference), x + first,
                                            kappa, repeats));
      first += trees[c].size();
    }
    return worst;
  }

  /// The batch of `cells` cells as a Hines batch; cell c is drawn cell c modulo their number.
  solver::Forest shape(std::size_t cells) const {
    std::vector<int> tree_of(cells);
    for (std::size_t c = 0; c < cells; ++c) tree_of[c] = static_cast<int>(c % trees.size());
    return {trees, tree_of};
  }
  solver::BatchValues<double> values(const solver::Forest& shape) const {
    solver::BatchValues<double> v;
    std::vector<double> coupling;
    for (const auto& of_cell : couplings)
      coupling.insert(coupling.end(), of_cell.begin(), of_cell.end());
    const auto tile = [&](const std::vector<double>& drawn, std::vector<double>& all) {
      all.resize(shape.total());
      for (std::size_t i = 0; i < all.size(); i += drawn.size())
        std::copy_n(drawn.begin(), std::min(drawn.size(), all.size() - i),
                    all.begin() + static_cast<long>(i));
    };
    tile(diagonal, v.diagonal);
    tile(coupling, v.coupling);
    tile(rhs, v.rhs);
    return v;
  }
};

}  // namespace hillock::bench
