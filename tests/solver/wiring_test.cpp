// A wiring between cells against the system of all their rows, solved as a whole.

#include "solver/wiring.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace hillock::solver {
namespace {

using LongNumber = long double;  // whose rounding is not the question
using LongNumbers = std::vector<LongNumber>;
using Matrix = std::vector<LongNumbers>;

/// Gaussian elimination with the largest pivots of columns.
LongNumbers solved(Matrix m, LongNumbers right) {
  const std::size_t n = right.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k; row < n; ++row)
      if (std::abs(m[row][k]) > std::abs(m[pivot][k])) pivot = row;
    std::swap(m[k], m[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t row = k + 1; row < n; ++row) {
      const LongNumber factor = m[row][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j) m[row][j] -= factor * m[k][j];
      right[row] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= m[k][j] * right[j];
    right[k] /= m[k][k];
  }
  return right;
}

/// Two chains of four rows with three and two places, and two unknowns of the wiring's own.
struct Cells {
  static constexpr double dt_ms = 0.1;
  static constexpr std::size_t rows = 8, free = 2;
  std::vector<std::size_t> row_of{0, 2, 3, 5, 7, 8, 9};  ///< [unknown]; free ones behind all rows
  std::mt19937 draws{7};
  Matrix trees = Matrix(rows + free, LongNumbers(rows + free));
  LongNumbers right = LongNumbers(rows + free), before;
  WiringEquations equations;

  explicit Cells(double largest_uS) {
    std::uniform_real_distribution<double> some(0.5, 1.5), any(-80, 40);
    for (std::size_t row = 0; row < rows; ++row) {
      trees[row][row] += 0.01 * some(draws);
      right[row] = any(draws);
      if (row % 4 == 0) continue;
      const double coupling = 0.1 * some(draws);
      trees[row][row] += coupling;
      trees[row - 1][row - 1] += coupling;
      trees[row][row - 1] = trees[row - 1][row] = -coupling;
    }
    equations.first_of_cell = {0, 3, 5, 6, 7};
    equations.is_free = {0, 0, 0, 0, 0, 1, 1};
    const auto join = [&](std::uint32_t one, std::uint32_t other, double c, double g) {
      for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
        equations.terms.push_back({from, from, c, g});
        equations.terms.push_back({from, to, -c, -g});
      }
    };
    join(0, 3, 0, largest_uS);
    join(1, 4, 0.003, 0.02);
    join(2, 1, 0, 0.5);
    equations.terms.push_back(
        {4, 5, 0, -1});  // a battery with a resistance, of which 5 is the current
    equations.terms.push_back({5, 4, 0, 1});
    equations.terms.push_back({5, 5, 0, 20});
    equations.terms.push_back({6, 6, 3, 1});  // relaxes towards what place 2 has
    equations.terms.push_back({6, 2, 0, -0.5});
    for (std::size_t u = 0; u < row_of.size(); ++u) before.push_back(any(draws));
  }

  /// x of all rows, by the whole system.
  LongNumbers whole(const std::vector<double>& sources) const {
    Matrix all = trees;
    LongNumbers known = right;
    for (std::size_t u = 0; u < row_of.size(); ++u) known[row_of[u]] += sources[u];
    for (const WiringTerm& term : equations.terms) {
      const LongNumber charge = term.capacitance / LongNumber(dt_ms);
      all[row_of[term.equation]][row_of[term.unknown]] += charge + term.conductance;
      known[row_of[term.equation]] += charge * before[term.unknown];
    }
    return solved(all, known);
  }

  /// The same by a Wiring.
  LongNumbers by_parts(const std::vector<double>& sources) const {
    Matrix own(rows, LongNumbers(rows));
    for (std::size_t row = 0; row < rows; ++row)
      std::copy_n(trees[row].begin(), rows, own[row].begin());
    LongNumbers rhs(right.begin(), right.begin() + rows);
    Wiring wiring(equations, dt_ms);
    for (std::size_t u = 0; u < before.size(); ++u)
      wiring.before()[u] = static_cast<double>(before[u]);
    std::copy(sources.begin(), sources.end(), wiring.sources().begin());
    const LongNumbers alone = solved(own, rhs);
    for (std::size_t u = 0; u < 5; ++u) {
      wiring.alone()[u] = static_cast<double>(alone[row_of[u]]);
      LongNumbers one(rows);
      one[row_of[u]] = 1;
      const LongNumbers z = solved(own, one);
      const std::size_t cell = u < 3 ? 0 : 1, begin = cell == 0 ? 0 : 3, count = cell == 0 ? 3 : 2;
      for (std::size_t k = 0; k < count; ++k)
        wiring.influence(cell)[k * count + u - begin] = static_cast<double>(z[row_of[begin + k]]);
    }
    EXPECT_FALSE(wiring.solve());
    for (std::size_t u = 0; u < 5; ++u) rhs[row_of[u]] -= wiring.solution()[u];
    LongNumbers x = solved(own, rhs);
    x.insert(x.end(), {wiring.solution()[5], wiring.solution()[6]});
    return x;
  }
};

TEST(Wiring, GivesWhatTheWholeSystemGives) {
  const std::vector<double> sources{0, 0.3, 0, 0, -1, -20, 7};
  for (const double largest_uS : {0.0, 0.002, 1.0, 1e6}) {
    const Cells cells(largest_uS);
    const LongNumbers wanted = cells.whole(sources), got = cells.by_parts(sources);
    for (std::size_t row = 0; row < wanted.size(); ++row)
      EXPECT_NEAR(got[row], wanted[row], 1e-9 * (1 + std::abs(wanted[row])))
          << "row " << row << ", " << largest_uS << " uS";
  }
}

TEST(Wiring, TellsWhatHasNoSolution) {
  WiringEquations equations;
  equations.first_of_cell = {0, 1};
  equations.is_free = {1};
  equations.terms = {{0, 0, 0, 0}};
  Wiring wiring(equations, 0.1);
  EXPECT_EQ(wiring.solve(), 0U);
}

TEST(Wiring, KnowsWhatIsTiedTogether) {
  WiringEquations equations;
  equations.first_of_cell = {0, 2, 3, 4, 5};
  equations.is_free = {0, 0, 0, 0, 0};
  equations.terms = {{0, 2, 0, 1}, {3, 4, 0, 1}};
  EXPECT_EQ(Wiring(equations, 0.1).largest(), 3U);
}

}  // namespace
}  // namespace hillock::solver
