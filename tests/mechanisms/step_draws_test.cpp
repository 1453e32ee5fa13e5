// Random numbers of stimuli that draw in every step: that each is a function of its keys alone, and
// that their distributions are those they are named after.

#include "mechanisms/runtime/step_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>
#include <utility>

namespace hillock::mechanisms {
namespace {

TEST(StepDraws, AreFunctionsOfSeedStimulusCellAndStep) {
  const double one = step_uniform(3, 4, 5, 6);
  EXPECT_EQ(step_uniform(3, 4, 5, 6), one);
  std::set<double> all{one};
  constexpr unsigned long long high = 1ull << 33;
  for (const double other :
       {step_uniform(4, 4, 5, 6), step_uniform(3, 5, 5, 6), step_uniform(3, 4, 6, 6),
        step_uniform(3, 4, 5, 7), step_uniform(3 + high, 4, 5, 6), step_uniform(3, 4, 5 + high, 6),
        step_uniform(3, 4, 5, 6 + high), step_uniform(3, 4 + 32768, 5, 6)})
    all.insert(other);
  EXPECT_EQ(all.size(), 9u);
}

TEST(StepDraws, OfNeighbouringCellsAndStepsAreUniformAndIndependent) {
  constexpr int cells = 300, steps = 300;
  double sum = 0, squares = 0, across_cells = 0, across_steps = 0;
  for (unsigned c = 0; c < cells; ++c)
    for (unsigned s = 0; s < steps; ++s) {
      const double u = step_uniform(1, 0, c, s);
      ASSERT_GT(u, 0);
      ASSERT_LT(u, 1);
      sum += u - 0.5;
      squares += (u - 0.5) * (u - 0.5);
      across_cells += (u - 0.5) * (step_uniform(1, 0, c + 1, s) - 0.5);
      across_steps += (u - 0.5) * (step_uniform(1, 0, c, s + 1) - 0.5);
    }
  constexpr double n = cells * steps, variance = 1.0 / 12;
  // Five standard errors; that of a variance by the fourth moment, 1/80.
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, 5 * std::sqrt((1.0 / 80 - variance * variance) / n));
  EXPECT_NEAR(across_cells / n, 0, 5 * variance / std::sqrt(n));
  EXPECT_NEAR(across_steps / n, 0, 5 * variance / std::sqrt(n));
}

/// Of the doubles that stand here, -2 ln u and its root to 20 digits.
TEST(StepDraws, RadiiOfNormalDrawsAreThoseOfTheDistribution) {
  struct Point {
    double u, squared;
  };
  constexpr Point points[] = {{0x1p-53, 73.473601139354202798},
                              {1e-10, 46.051701859880913607},
                              {0.001, 13.815510557964274062},
                              {0.125, 4.1588830833596718565},
                              {0.3, 2.4079456086518720593},
                              {0.49999, 1.3863343615198959923},
                              {0.5, 1.3862943611198906188},
                              {0.70710678118654746, 0.69314718055994548672},
                              {0.70710678118654757, 0.6931471805599451727},
                              {0.75, 0.57536414490356185488},
                              {0.9, 0.21072103131565255311},
                              {0.99999, 0.000020000100000575650232},
                              {1 - 0x1p-30, 1.8626451500983187698e-9},
                              {1 - 0x1p-53, 2.2204460492503132041e-16}};
  for (const Point& point : points)
    EXPECT_NEAR(squared_radius<double>(point.u), point.squared, 1e-15 * point.squared) << point.u;
}

TEST(StepDraws, AnglesOfNormalDrawsAreThoseOfAQuarterThatTheLastBitsTurn) {
  const double u = 0.3, radius = std::sqrt(-2 * std::log(u));
  for (const double part : {0x1p-53, 0.1, 0.25, 0.499999, 0.5, 0.7, 1 - 0x1p-53})
    for (const long long bits : {0, 1, 2, 3}) {
      const double angle = std::numbers::pi / 2 * (part - 0.5), sign = bits & 1 ? -1 : 1;
      double x = sign * radius * std::cos(angle), y = sign * radius * std::sin(angle);
      if (bits & 2) std::swap(x, y);
      const PairOf<double> drawn = normal_pair<double>(u, part, bits);
      EXPECT_NEAR(drawn.first, x, 1e-15) << part << ' ' << bits;
      EXPECT_NEAR(drawn.second, y, 1e-15) << part << ' ' << bits;
    }
}

/// Which part of the draws lies below each of some numbers.
TEST(StepDraws, NormalDrawsLieWhereTheDistributionSays) {
  constexpr double borders[] = {-3, -2, -1.2, -0.5, -0.05, 0, 0.3, 0.9, 1.6, 2.5, 3.2};
  constexpr int n = 200000;
  double below[std::size(borders)] = {};
  for (unsigned k = 0; k < n; ++k) {
    const double x = step_normal(4, 2, k % 500, k / 500);
    for (std::size_t b = 0; b < std::size(borders); ++b) below[b] += x < borders[b];
  }
  for (std::size_t b = 0; b < std::size(borders); ++b) {
    const double p = std::erfc(-borders[b] / std::numbers::sqrt2) / 2;
    EXPECT_NEAR(below[b] / n, p, 5 * std::sqrt(p * (1 - p) / n)) << borders[b];
  }
}

/// Those of one block, of neighbours, and of one cell from step to step.
TEST(StepDraws, NormalDrawsAndTheirSquaresAreIndependent) {
  constexpr int cells = 400, steps = 400;
  for (const auto& [cell, step] : {std::pair{cells_apart, 0}, {1, 0}, {0, 1}}) {
    double products = 0, squares = 0;
    for (int c = 0; c < cells; ++c)
      for (int s = 0; s < steps; ++s) {
        const auto draw = [&](int at, int when) {
          return step_normal(5, 0, static_cast<unsigned>(at), static_cast<unsigned>(when));
        };
        const double a = draw(c, s), b = draw(c + cell, s + step);
        products += a * b;
        squares += (a * a - 1) * (b * b - 1);
      }
    constexpr double n = cells * steps;  // five standard errors; that of a square's is 2
    EXPECT_NEAR(products / n, 0, 5 / std::sqrt(n));
    EXPECT_NEAR(squares / n, 0, 5 * 2 / std::sqrt(n));
  }
}

TEST(StepDraws, NormalDrawsHaveTheirMoments) {
  double sums[5] = {};
  constexpr int n = 100000;
  for (unsigned k = 0; k < n; ++k) {
    const double x = step_normal(9, 1, k % 100, k / 100);
    for (int m = 1; m <= 4; ++m) sums[m] += std::pow(x, m);
  }
  // Five standard errors, by the moments of twice the order: 1, 3, 15, 105.
  EXPECT_NEAR(sums[1] / n, 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(sums[2] / n, 1, 5 * std::sqrt((3.0 - 1) / n));
  EXPECT_NEAR(sums[3] / n, 0, 5 * std::sqrt(15.0 / n));
  EXPECT_NEAR(sums[4] / n, 3, 5 * std::sqrt((105.0 - 9) / n));
}

/// The probability of at most `count` events, from the logarithms of its summands.
double poisson_up_to(double mean, int count) {
  double sum = 0;
  for (int k = 0; k <= count; ++k)
    sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
  return sum;
}

TEST(StepDraws, PoissonQuantilesStepWhereTheDistributionDoes) {
  for (const double mean : {0.01, 0.8, 3.7, 40.0, 600.0}) {
    const double width = std::sqrt(mean);
    const int first = std::max(0, static_cast<int>(mean - 4 * width));
    const int last = static_cast<int>(mean + 4 * width) + 1;
    for (int count = first; count <= last; count += 1 + (last - first) / 30) {
      const double p = poisson_up_to(mean, count), round_off = 1e-11;
      if (p > 1 - 1e-9) break;
      EXPECT_EQ(poisson_quantile(mean, p - round_off), count) << mean;
      EXPECT_GT(poisson_quantile(mean, p + round_off), count) << mean;
    }
  }
}

TEST(StepDraws, PoissonQuantilesEndForEveryUniformNumber) {
  EXPECT_EQ(poisson_quantile(0, 1 - 0x1p-53), 0);
  EXPECT_EQ(poisson_quantile(1e-3, 0x1p-53), 0);
  for (const double mean : {1e-12, 1.0, 600.0}) {
    const double most = poisson_quantile(mean, 1 - 0x1p-53);
    EXPECT_GT(most, mean);
    EXPECT_LT(most, mean + 12 * std::sqrt(mean) + 20);
  }
}

TEST(StepDraws, PoissonCountsHaveTheirMoments) {
  for (const double mean : {0.05, 2.0, 30.0}) {
    double sum = 0, squares = 0;
    constexpr int n = 20000;
    for (unsigned k = 0; k < n; ++k) {
      const double count = poisson_quantile(mean, step_uniform(2, 7, k, 1000 + k / 3));
      sum += count;
      squares += (count - mean) * (count - mean);
    }
    EXPECT_NEAR(sum / n, mean, 5 * std::sqrt(mean / n));
    EXPECT_NEAR(squares / n, mean, 5 * std::sqrt((mean + 2 * mean * mean) / n));
  }
}

}  // namespace
}  // namespace hillock::mechanisms
