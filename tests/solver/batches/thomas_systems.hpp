#pragma once
// Random tridiagonal systems, their long-double solutions, and the error bound that every solver of
// the thomas family is held to. For the host tests and the GPU tests alike.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/random/random.hpp"
#include "solver/batches/thomas/arrangement.hpp"
#include "solver/batches/thomas/variable.hpp"

namespace hillock::solver {

/// cable: symmetric, couplings about `ratio` times the diagonal's excess over them, as a cable has.
/// general: lower and upper of either sign and unrelated, `ratio` times the excess at most.
enum class Kind { cable, general };

struct Problem {
  Kind kind = Kind::cable;
  double ratio = 10;
  std::uint64_t seed = 1;
};

/// Fills in one system; the two numbers outside the matrix become NaN, since no solver may use
/// them.
template <class Real, class Set>
void draw_system(const Problem& problem, std::size_t rows, std::size_t system, const Set& set) {
  RandomStream draw(problem.seed, Purpose::stimulus, {rows, system, 0});
  const auto coupling = [&] {
    const double size = problem.ratio * (0.5 + draw.uniform()) / 1.5;
    return problem.kind == Kind::general && draw.uniform() < 0.5 ? size : -size;
  };
  double upper_before = coupling();
  for (std::size_t i = 0; i < rows; ++i) {
    const bool first = i == 0, last = i + 1 == rows;
    double lower = problem.kind == Kind::cable ? upper_before : coupling();
    double upper = coupling();
    double diagonal = 1 + draw.uniform();
    if (!first) diagonal += std::fabs(lower);
    if (!last) diagonal += std::fabs(upper);
    upper_before = upper;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    set(ThomasField::lower, i, static_cast<Real>(first ? nothing : lower));
    set(ThomasField::diagonal, i, static_cast<Real>(diagonal));
    set(ThomasField::upper, i, static_cast<Real>(last ? nothing : upper));
    set(ThomasField::rhs, i, static_cast<Real>(draw.normal()));
  }
}

template <class Real>
std::vector<Real> random_batch(const ThomasArrangement& a, const Problem& problem) {
  std::vector<Real> values(a.storage, Real(0));
  for (std::size_t s = 0; s < a.systems; ++s)
    draw_system<Real>(problem, a.rows, s, [&](ThomasField f, std::size_t row, Real value) {
      values[a.index(f, row, s)] = value;
    });
  return values;
}

template <class Real>
std::vector<Real> random_batch(const ThomasVariableArrangement& a, const Problem& problem) {
  std::vector<Real> values(a.storage, Real(0));
  for (std::size_t i = 0; i < a.field_stride; ++i) values[a.field_stride + i] = 1;  // padding
  for (std::size_t slot = 0; slot < a.size.size(); ++slot)
    draw_system<Real>(problem, a.size[slot], a.system[slot],
                      [&](ThomasField f, std::size_t row, Real value) {
                        // The padded layout's threads run on through what lies past the matrix.
                        values[a.index(f, row, slot)] = std::isnan(value) ? Real(0) : value;
                      });
  return values;
}

/// Gaussian elimination of one system in long double. get(field, row).
template <class Get>
std::vector<long double> reference_solution(std::size_t rows, const Get& get) {
  std::vector<long double> d(rows), x(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    d[i] = get(ThomasField::diagonal, i);
    x[i] = get(ThomasField::rhs, i);
    if (i == 0) continue;
    const long double f = static_cast<long double>(get(ThomasField::lower, i)) / d[i - 1];
    d[i] -= f * get(ThomasField::upper, i - 1);
    x[i] -= f * x[i - 1];
  }
  x[rows - 1] /= d[rows - 1];
  for (std::size_t i = rows - 1; i-- > 0;)
    x[i] = (x[i] - static_cast<long double>(get(ThomasField::upper, i)) * x[i + 1]) / d[i];
  return x;
}

/// Round-off: max|v - ref| over 8·eps·(1 + ratio)·max|ref| of one system; at most 1 passes.
template <class Real, class Get>
double error_over_bound(const std::vector<long double>& reference, double ratio,
                        const Get& solution) {
  long double largest = 0, error = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto v = static_cast<long double>(solution(i));
    if (!std::isfinite(v)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::fabs(reference[i]));
    error = std::max(error, std::fabs(reference[i] - v));
  }
  const auto eps = static_cast<long double>(std::numeric_limits<Real>::epsilon());
  return static_cast<double>(error / (8 * eps * (1 + ratio) * largest));
}

/// Largest error_over_bound() of a batch.
template <class Real>
double worst_error(const ThomasArrangement& a, const Problem& problem,
                   const std::vector<Real>& before, const std::vector<Real>& after) {
  double worst = 0;
  for (std::size_t s = 0; s < a.systems; ++s) {
    const auto reference = reference_solution(
        a.rows, [&](ThomasField f, std::size_t i) { return before[a.index(f, i, s)]; });
    worst = std::max(worst, error_over_bound<Real>(reference, problem.ratio, [&](std::size_t i) {
                       return after[a.index(ThomasField::rhs, i, s)];
                     }));
  }
  return worst;
}

template <class Real>
double worst_error(const ThomasVariableArrangement& a, const Problem& problem,
                   const std::vector<Real>& before, const std::vector<Real>& after) {
  double worst = 0;
  for (std::size_t slot = 0; slot < a.size.size(); ++slot) {
    const auto reference = reference_solution(
        a.size[slot], [&](ThomasField f, std::size_t i) { return before[a.index(f, i, slot)]; });
    worst = std::max(worst, error_over_bound<Real>(reference, problem.ratio, [&](std::size_t i) {
                       return after[a.index(ThomasField::rhs, i, slot)];
                     }));
  }
  return worst;
}

inline std::vector<std::uint32_t> random_sizes(std::size_t systems, std::uint32_t least,
                                               std::uint32_t most, std::uint64_t seed) {
  RandomStream draw(seed, Purpose::stimulus, {systems, least, most});
  std::vector<std::uint32_t> sizes(systems);
  for (auto& size : sizes) size = least + static_cast<std::uint32_t>(draw.below(most - least + 1));
  return sizes;
}

inline const std::vector<Problem> problems = {{Kind::cable, 0.1, 1},  {Kind::cable, 10, 2},
                                              {Kind::cable, 1e3, 3},  {Kind::cable, 1e5, 4},
                                              {Kind::general, 10, 5}, {Kind::general, 1e3, 6}};
inline const std::vector<std::size_t> awkward_sizes = {1, 2, 3, 31, 32, 33, 64, 97, 200, 512};
inline const std::vector<ThomasLayout> layouts = {ThomasLayout::flat, ThomasLayout::interleaved,
                                                  ThomasLayout::unified_vector,
                                                  ThomasLayout::block_interleaved};

}  // namespace hillock::solver
