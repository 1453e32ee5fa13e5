// Hines elimination against a dense solve in long double.

#include "solver/hines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random/random.hpp"
#include "core/simd/lane_array.hpp"

namespace hillock::solver {
namespace {

struct System {
  std::vector<int> parent;
  std::vector<double> coupling, diagonal, rhs;
};

/// A random tree; `chain` is the probability that a node hangs on the one before it.
System random_system(std::size_t n, double chain, double ratio, std::uint64_t seed) {
  RandomStream draw(seed, Purpose::stimulus, {n, 0, 0});
  System s;
  s.parent.push_back(-1);
  s.coupling.push_back(0);
  for (std::size_t i = 1; i < n; ++i) {
    s.parent.push_back(static_cast<int>(draw.uniform() < chain ? i - 1 : draw.below(i)));
    s.coupling.push_back(ratio * (0.5 + draw.uniform()));
  }
  s.diagonal.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    s.diagonal[i] += 1 + draw.uniform();
    if (i > 0) {
      s.diagonal[i] += s.coupling[i];
      s.diagonal[static_cast<std::size_t>(s.parent[i])] += s.coupling[i];
    }
    s.rhs.push_back(draw.normal());
  }
  return s;
}

/// Gaussian elimination of the full matrix in long double.
std::vector<long double> dense_solution(const System& s) {
  const std::size_t n = s.parent.size();
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n, 0));
  std::vector<long double> x(s.rhs.begin(), s.rhs.end());
  for (std::size_t i = 0; i < n; ++i) {
    a[i][i] = s.diagonal[i];
    if (i == 0) continue;
    const auto p = static_cast<std::size_t>(s.parent[i]);
    a[i][p] = a[p][i] = -s.coupling[i];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double f = a[i][k] / a[k][k];
      if (f == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
      x[i] -= f * x[k];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
  return x;
}

class HinesAgainstDense : public testing::TestWithParam<std::tuple<int, double, double>> {};

TEST_P(HinesAgainstDense, AgreesWithinRoundOff) {
  const auto [size, chain, ratio] = GetParam();
  const System s = random_system(static_cast<std::size_t>(size), chain, ratio, 7);
  const auto reference = dense_solution(s);
  std::vector<double> d = s.diagonal, x = s.rhs;
  hines_solve<double>({s.parent, s.coupling}, d.data(), x.data());
  long double largest = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::fabs(reference[i]));
    error = std::max(error, std::fabs(reference[i] - static_cast<long double>(x[i])));
  }
  // Round-off: 8·eps·(1 + kappa), kappa the ratio of coupling to the rest of the diagonal.
  EXPECT_LE(error, 8 * 2.2204e-16L * (1 + ratio) * largest);
}

INSTANTIATE_TEST_SUITE_P(SizesShapesRatios, HinesAgainstDense,
                         testing::Combine(testing::Values(1, 2, 31, 33, 200),
                                          testing::Values(0.0, 0.7, 1.0),
                                          testing::Values(0.1, 10.0, 1e3, 1e5)));

TEST(HinesLanes, EveryLaneIsBitIdenticalToAScalarSolve) {
  constexpr int lanes = 8;
  std::vector<System> systems;
  const System shape = random_system(97, 0.6, 20, 1);
  for (std::uint64_t l = 0; l < lanes; ++l) {
    System s = shape;
    RandomStream draw(l, Purpose::stimulus, {});
    for (auto& b : s.rhs) b = draw.normal();
    for (auto& d : s.diagonal) d += draw.uniform();
    systems.push_back(s);
  }
  LaneArray d(97 * lanes), b(97 * lanes);
  for (std::size_t i = 0; i < 97; ++i)
    for (std::size_t l = 0; l < lanes; ++l) {
      d[i * lanes + l] = systems[l].diagonal[i];
      b[i * lanes + l] = systems[l].rhs[i];
    }
  hines_solve<Pack8>({shape.parent, shape.coupling}, d.data(), b.data());
  for (std::size_t l = 0; l < lanes; ++l) {
    System& s = systems[l];
    hines_solve<double>({s.parent, s.coupling}, s.diagonal.data(), s.rhs.data());
    for (std::size_t i = 0; i < 97; ++i) EXPECT_EQ(b[i * lanes + l], s.rhs[i]);
  }
}

}  // namespace
}  // namespace hillock::solver
