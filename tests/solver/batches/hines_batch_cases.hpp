#pragma once
// Batches with known solutions for the tests of hines_batch, on the host and on the GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random/random.hpp"
#include "solver/batch.hpp"
#include "solver/batches/hines_batch/random_morphology.hpp"
#include "solver/batches/hines_batch/schedule.hpp"
#include "solver/random_trees.hpp"

namespace hillock::solver {

/// Every node hangs on the one before it with probability `chain`, else anywhere above.
inline std::vector<int> random_tree(int n, double chain, std::uint64_t seed) {
  RandomStream draw(seed, Purpose::stimulus, {static_cast<std::uint64_t>(n), 1, 0});
  std::vector<int> parent{-1};
  for (int i = 1; i < n; ++i)
    parent.push_back(draw.uniform() < chain
                         ? i - 1
                         : static_cast<int>(draw.below(static_cast<std::uint64_t>(i))));
  return parent;
}

/// Fresh values: C/dt between 1 and 2, couplings kappa/2 to 3·kappa/2, normal right-hand sides.
template <class T>
BatchValues<T> random_values(const Forest& shape, double kappa, std::uint64_t seed) {
  BatchValues<T> v;
  v.diagonal.resize(shape.total());
  v.coupling.resize(shape.total());
  v.rhs.resize(shape.total());
  for (std::size_t s = 0; s < shape.n_systems(); ++s) {
    RandomStream draw(seed, Purpose::stimulus, {s, 2, 0});
    const auto parent = shape.parent(static_cast<std::size_t>(shape.tree_of(s)));
    std::vector<long double> diagonal(parent.size());
    const std::size_t first = shape.first()[s];
    for (std::size_t i = 0; i < parent.size(); ++i) {
      const T a = static_cast<T>(kappa * (0.5 + draw.uniform()));
      v.coupling[first + i] = a;
      diagonal[i] += 1 + draw.uniform();
      if (i > 0) {
        diagonal[i] += a;
        diagonal[static_cast<std::size_t>(parent[i])] += a;
      }
      v.rhs[first + i] = static_cast<T>(draw.normal());
    }
    v.coupling[first] = std::numeric_limits<T>::quiet_NaN();  // must never be used
    for (std::size_t i = 0; i < parent.size(); ++i)
      v.diagonal[first + i] = static_cast<T>(diagonal[i]);
  }
  return v;
}

/// Hines elimination in long double.
template <class T>
std::vector<long double> reference_solution(const Forest& shape, const BatchValues<T>& v) {
  std::vector<long double> d(v.diagonal.begin(), v.diagonal.end());
  std::vector<long double> x(v.rhs.begin(), v.rhs.end());
  for (std::size_t s = 0; s < shape.n_systems(); ++s) {
    const auto parent = shape.parent(static_cast<std::size_t>(shape.tree_of(s)));
    const std::size_t first = shape.first()[s];
    for (std::size_t i = parent.size(); i-- > 1;) {
      const std::size_t p = first + static_cast<std::size_t>(parent[i]);
      const long double factor = v.coupling[first + i] / d[first + i];
      d[p] -= factor * v.coupling[first + i];
      x[p] += factor * x[first + i];
    }
    x[first] /= d[first];
    for (std::size_t i = 1; i < parent.size(); ++i)
      x[first + i] =
          (x[first + i] + v.coupling[first + i] * x[first + static_cast<std::size_t>(parent[i])]) /
          d[first + i];
  }
  return x;
}

/// Largest error over every system as a part of what round-off may cost it:
/// 8·eps·(1 + kappa)·max|reference|. Above 1 is a failure; so is a value that is not a number.
template <class T>
double error_over_bound(const Forest& shape, const std::vector<T>& solution,
                        const std::vector<long double>& reference, double kappa) {
  if (solution.size() != reference.size()) return std::numeric_limits<double>::infinity();
  long double worst = 0;
  for (std::size_t s = 0; s < shape.n_systems(); ++s) {
    long double largest = 0, error = 0;
    for (std::size_t i = shape.first()[s]; i < shape.first()[s + 1]; ++i) {
      if (!std::isfinite(solution[i])) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::fabs(reference[i]));
      error = std::max(error, std::fabs(reference[i] - static_cast<long double>(solution[i])));
    }
    const long double bound = 8 * static_cast<long double>(std::numeric_limits<T>::epsilon()) *
                              (1 + static_cast<long double>(kappa)) * largest;
    worst = std::max(worst, error / bound);
  }
  return static_cast<double>(worst);
}

struct ShapeCase {
  std::string name;
  Forest shape;
};

/// The sizes and shapes every arrangement must meet.
inline std::vector<ShapeCase> all_shapes() {
  std::vector<ShapeCase> cases;
  for (const int n : {1, 2, 31, 32, 33, 200})
    cases.push_back({"tree of " + std::to_string(n), Forest::uniform(random_tree(n, 0.7, 3), 37)});
  for (const std::size_t systems : {1u, 31u, 32u, 33u, 600u})
    cases.push_back({std::to_string(systems) + " systems",
                     Forest::uniform(random_morphology(76, 29, 1), systems)});
  cases.push_back({"giant", Forest::uniform(random_morphology(20000, 2001, 4), 2)});
  cases.push_back({"star", Forest::uniform(star_tree(500, 3), 3)});
  cases.push_back({"cable", Forest::uniform(cable_tree(5000), 3)});
  std::vector<std::vector<int>> trees;
  std::vector<int> tree_of_system;
  for (int t = 0; t < 9; ++t)
    trees.push_back(random_tree(1 + 17 * t, 0.1 * t, static_cast<std::uint64_t>(t)));
  for (int s = 0; s < 101; ++s) tree_of_system.push_back((s * 5 + s * s) % 9);
  cases.push_back({"mixed", Forest(trees, tree_of_system)});
  return cases;
}

inline std::vector<HinesArrangement> all_arrangements() {
  using Padding = HinesArrangement::Padding;
  HinesArrangement sorted = HinesArrangement::block_interleaved(32);
  sorted.order = HinesArrangement::Order::sorted;
  sorted.padding = Padding::skipped;
  HinesArrangement shared_skipped = HinesArrangement::block_shared(64);
  shared_skipped.padding = Padding::skipped;
  return {HinesArrangement::flat(),
          HinesArrangement::fully_interleaved(),
          HinesArrangement::fully_interleaved(Padding::skipped),
          HinesArrangement::block_interleaved(32),
          HinesArrangement::block_interleaved(64),
          HinesArrangement::block_interleaved(512),
          HinesArrangement::block_shared(),
          shared_skipped,
          sorted,
          HinesArrangement::streamed()};
}

}  // namespace hillock::solver
