// e^x of expressions: how near it is, and where it ends.

#include "core/simd/exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/expressions/block_kernels.hpp"
#include "core/random/random.hpp"
#include "core/simd/lane_array.hpp"

namespace hillock {
namespace {

/// How many units in the last place of `exact` lie between it and a value.
double units(double value, long double exact) {
  const double nearest = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(nearest, INFINITY) - nearest;
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / unit);
}

/// Tolerance: round-off, 0.8 units, against a long double's 64 bits.
TEST(Exponential, IsWithin08UnitsOfTheTrueValue) {
  RandomStream draws(1, Purpose::parameter, {});
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 2 ? -708 + 1417.7 * draws.uniform() : 6 * draws.uniform() - 3;
    ASSERT_LT(units(exponential(x), std::exp(static_cast<long double>(x))), 0.8) << x;
  }
}

/// Tolerance: round-off, one unit, twice rounded.
TEST(Exponential, IsWithinAUnitBelowTheNormalNumbers) {
  RandomStream draws(2, Purpose::parameter, {});
  for (int i = 0; i < 50000; ++i) {
    const double x = -708 - 38 * draws.uniform();
    ASSERT_LE(units(exponential(x), std::exp(static_cast<long double>(x))), 1) << x;
  }
}

TEST(Exponential, EndsAtZeroAndInfinity) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exponential(0.0), 1);
  EXPECT_EQ(exponential(-0.0), 1);
  EXPECT_EQ(exponential(5e-324), 1);
  EXPECT_LT(exponential(709.78271289338397), infinity);
  EXPECT_EQ(exponential(709.79), infinity);
  EXPECT_EQ(exponential(infinity), infinity);
  EXPECT_EQ(exponential(-745.0), 5e-324);
  EXPECT_EQ(exponential(-746.0), 0);
  EXPECT_EQ(exponential(-infinity), 0);
  EXPECT_TRUE(std::isnan(exponential(std::nan(""))));
}

TEST(Exponential, BlocksGiveTheSameBitsOnEveryInstructionSet) {
  RandomStream draws(3, Purpose::parameter, {});
  LaneArray x(block_size), y(block_size);
  for (int block = 0; block < 200; ++block) {
    for (double& value : x) value = 1500 * (draws.uniform() - 0.5);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      if (!is_available(isa)) continue;
      block_kernels(isa).of[static_cast<int>(Operation::exp)](x.data(), nullptr, nullptr, y.data(),
                                                              block_size);
      for (std::size_t i = 0; i < block_size; ++i) ASSERT_EQ(y[i], exponential(x[i])) << x[i];
    }
  }
}

}  // namespace
}  // namespace hillock
