// Random numbers of stimuli that draw in every step: that each is a function of its keys alone, and
// that their distributions are those they are named after.

#include "mechanisms/runtime/step_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

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

/// Of the doubles that stand here, by Newton's method on 60 digits.
TEST(StepDraws, NormalQuantilesAreThoseOfTheDistribution) {
  struct Point {
    double p, quantile;
  };
  constexpr Point points[] = {{1e-300, -37.047096299361199237},
                              {1e-100, -21.273453560965324294},
                              {1e-20, -9.2623400897984075796},
                              {0x1p-53, -8.2095361516013868556},
                              {1e-10, -6.3613409024040561991},
                              {1.3e-11, -6.6676114565107408347},
                              {1.4e-11, -6.6567230915181836356},
                              {1e-07, -5.19933758219281694},
                              {0.001, -3.0902323061678135354},
                              {0.02, -2.0537489106318230443},
                              {0.0749, -1.4402382675279636631},
                              {0.075, -1.4395314709384559349},
                              {0.0751, -1.4388253927525399824},
                              {0.1, -1.2815515655446004353},
                              {0.25, -0.6744897501960817432},
                              {0.4999, -0.00025066283008800749239},
                              {0.5, 0.0},
                              {0.500001, 2.5066282747057051991e-6},
                              {0.6, 0.25334710313579974132},
                              {0.75, 0.6744897501960817432},
                              {0.9, 1.2815515655446005935},
                              {0.9249, 1.4388253927525403742},
                              {0.925, 1.4395314709384562291},
                              {0.975, 1.9599639845400538556},
                              {0.99, 2.3263478740408407676},
                              {0.999999, 4.7534243088170877657},
                              {1 - 0x1p-53, 8.2095361516013868556}};
  for (const Point& point : points)
    EXPECT_NEAR(normal_quantile(point.p), point.quantile, 1e-15 * std::abs(point.quantile))
        << point.p;
}

TEST(StepDraws, NormalDrawsHaveTheirMoments) {
  double sums[5] = {};
  constexpr int n = 100000;
  for (unsigned k = 0; k < n; ++k) {
    const double x = normal_quantile(step_uniform(9, 1, k % 100, k / 100));
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
