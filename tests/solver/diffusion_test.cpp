// A step of a state that spreads along the cable, against the whole system of equations.

#include "solver/diffusion.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "core/random/random.hpp"

namespace hillock::solver {
namespace {

/// What there is at each link, by Diffusing.
struct Contents {
  std::array<std::vector<double>, 4> columns;

  std::vector<double>& of(Diffusing what) { return columns[static_cast<std::size_t>(what)]; }
};

/// As diffuse() asks for them.
struct Numbers {
  Contents* contents;

  template <Diffusing what>
  double get(const DiffusionLink& link) const {
    return contents->of(what)[static_cast<std::size_t>(link.instance)];
  }
  template <Diffusing what>
  void set(const DiffusionLink& link, double value) const {
    contents->of(what)[static_cast<std::size_t>(link.instance)] = value;
  }
};

/// Parents come first; some links have none.
std::vector<DiffusionLink> random_links(int count, RandomStream& draws) {
  std::vector<DiffusionLink> links;
  for (int k = 0; k < count; ++k) {
    const int parent =
        k % 7 == 0 ? -1 : static_cast<int>(draws.below(static_cast<std::uint64_t>(k)));
    links.push_back({k, k, parent, 0.1 + draws.uniform(), 0.1 + draws.uniform()});
  }
  return links;
}

Contents random_contents(int count, RandomStream& draws) {
  Contents contents;
  for (auto& column : contents.columns)
    for (int k = 0; k < count; ++k) column.push_back(0.2 + draws.uniform());
  return contents;
}

/// (x' - x)/dt = flow/volume of what is more at the neighbours, solved by elimination.
std::vector<double> solved(const std::vector<DiffusionLink>& links, Contents contents,
                           double dt_ms) {
  const std::size_t n = links.size();
  const auto& volume = contents.of(Diffusing::volume);
  std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
  std::vector<double> right(n);
  for (std::size_t k = 0; k < n; ++k) {
    matrix[k][k] += 1 / dt_ms;
    right[k] = contents.of(Diffusing::amount)[k] / dt_ms;
    if (links[k].parent < 0) continue;
    const auto p = static_cast<std::size_t>(links[k].parent);
    const auto& coefficient = contents.of(Diffusing::coefficient);
    const double flow = (coefficient[k] + coefficient[p]) / 2;
    for (const auto& [one, other, share] :
         {std::tuple{k, p, links[k].here}, std::tuple{p, k, links[k].at_parent}}) {
      matrix[one][one] += flow * share / volume[one];
      matrix[one][other] -= flow * share / volume[one];
    }
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t row = k + 1; row < n; ++row) {
      const double factor = matrix[row][k] / matrix[k][k];
      for (std::size_t column = k; column < n; ++column)
        matrix[row][column] -= factor * matrix[k][column];
      right[row] -= factor * right[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t column = k + 1; column < n; ++column)
      right[k] -= matrix[k][column] * right[column];
    right[k] /= matrix[k][k];
  }
  return right;
}

TEST(Diffusion, IsTheImplicitStepOfTheWholeTree) {
  RandomStream draws(4, Purpose::morphology, {});
  for (const double dt_ms : {0.025, 1.0, 50.0}) {
    const auto links = random_links(20, draws);
    Contents contents = random_contents(20, draws);
    const auto expected = solved(links, contents, dt_ms);
    diffuse<double>(links.data(), 20, dt_ms, Numbers{&contents});
    for (std::size_t k = 0; k < links.size(); ++k)
      EXPECT_NEAR(contents.of(Diffusing::amount)[k], expected[k], 1e-13) << k;
  }
}

}  // namespace
}  // namespace hillock::solver
