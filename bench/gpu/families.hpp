#pragma once
// The GPU's columns of the table auto: every family on one batch of one tree. Plain C++; defined in
// builds with CUDA alone. Throws DeviceError when CUDA fails.

#include <cmath>
#include <vector>

#include "solver/choice/cost_model.hpp"
#include "solver/random_trees.hpp"

namespace hillock::bench {

/// A few systems of one tree that share their couplings, in the precision in which they are solved.
template <class T>
struct DrawnSystems {
  static constexpr double kappa =
      15;  ///< couplings are drawn in 5 … 15, the diagonal's excess is 1
  static constexpr std::size_t count = 4;
  std::vector<int> parent;
  std::vector<T> coupling;       ///< [n]
  std::vector<T> diagonal, rhs;  ///< [count][n]

  explicit DrawnSystems(std::vector<int> tree);
  /// Largest error over the bound of the first systems of a solution.
  double error(const std::vector<T>& x) const;
};

struct FamilyResult {
  solver::Family family = solver::Family::hines;
  double launch_us = NAN;    ///< one solve a launch, values in device memory in the family's layout
  double resident_us = NAN;  ///< of many in one kernel, or, without one, of launches back to back
  double error = NAN;        ///< over the bound
};

/// Every family that can solve the batch; Stone's method up to 1,024 cells.
template <class T>
std::vector<FamilyResult> measure_families(const DrawnSystems<T>& drawn, std::size_t cells,
                                           const solver::TreeFeatures& features,
                                           const solver::DeviceTraits& device);

}  // namespace hillock::bench
