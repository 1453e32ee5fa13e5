#pragma once
// Values of batches of Hines systems: a hash of the element's index, the same on host and device.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/batch.hpp"

#ifdef __CUDACC__
#define HILLOCK_BENCH_FUNCTION __host__ __device__ inline
#else
#define HILLOCK_BENCH_FUNCTION inline
#endif

namespace hillock::bench {

HILLOCK_BENCH_FUNCTION double uniform(std::uint64_t index, std::uint64_t stream) {
  std::uint64_t z = (index * 4 + stream + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

inline constexpr double hines_kappa = 10;

template <class T>
struct Element {
  T diagonal, coupling, rhs;
};

/// degree: neighbours of the node in its tree; the matrix is strictly diagonally dominant.
template <class T>
HILLOCK_BENCH_FUNCTION Element<T> element(std::uint64_t index, int degree) {
  const double coupling = hines_kappa * (0.5 + uniform(index, 0));
  return {static_cast<T>(1 + uniform(index, 1) + 1.5 * hines_kappa * degree),
          static_cast<T>(coupling), static_cast<T>(2 * uniform(index, 2) - 1)};
}

/// Neighbours of every node of every tree, trees end to end.
inline std::vector<int> degrees(const solver::Forest& shape) {
  std::vector<int> degree(shape.parents().size(), 0);
  for (std::size_t t = 0; t < shape.n_trees(); ++t)
    for (std::size_t i = shape.tree_first()[t] + 1; i < shape.tree_first()[t + 1]; ++i) {
      ++degree[i];
      ++degree[shape.tree_first()[t] + static_cast<std::size_t>(shape.parents()[i])];
    }
  return degree;
}

template <class T>
solver::BatchValues<T> host_values(const solver::Forest& shape) {
  solver::BatchValues<T> v;
  v.diagonal.resize(shape.total());
  v.coupling.resize(shape.total());
  v.rhs.resize(shape.total());
  const std::vector<int> degree = degrees(shape);
#pragma omp parallel for
  for (std::size_t s = 0; s < shape.n_systems(); ++s) {
    const int* of_tree =
        degree.data() + shape.tree_first()[static_cast<std::size_t>(shape.tree_of(s))];
    for (std::size_t i = shape.first()[s]; i < shape.first()[s + 1]; ++i) {
      const auto e = element<T>(i, of_tree[i - shape.first()[s]]);
      v.diagonal[i] = e.diagonal;
      v.coupling[i] = e.coupling;
      v.rhs[i] = e.rhs;
    }
  }
  return v;
}

}  // namespace hillock::bench
