// Mathematics of evaluators: accuracy against long double, special values, lanes.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random/random.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Math, ExpIsWithinOneUnitInTheLastPlace) {
  RandomStream draw(1, Purpose::stimulus, {});
  for (int i = 0; i < 300000; ++i) {
    const double x = (draw.uniform() - 0.5) * (i % 2 ? 1400 : 4);
    const double exact = static_cast<double>(std::exp(static_cast<long double>(x)));
    EXPECT_NEAR(exp(x), exact, std::nextafter(exact, infinity) - exact) << x;
  }
}

TEST(Math, ExpIsAccurateUpToTheEndsOfItsRange) {
  const auto check = [](double x) {
    const double exact = static_cast<double>(std::exp(static_cast<long double>(x)));
    EXPECT_NEAR(exp(x), exact, std::nextafter(exact, infinity) - exact) << x;
  };
  for (int i = 0; i < 100000; ++i) {
    check(-707 + 1416.0 * i / 100000);                 // evenly from end to end
    check(std::ldexp(i % 2 ? 1.0 : -1.0, -i / 1000));  // and towards 0
  }
  for (int k = -1019; k <= 1022; ++k)  // where k changes: |r| is largest
    for (const double off : {-0.5, 0.5}) check((k + off) * std::log(2.0));
  check(-707);
  check(709);
}

TEST(Math, ExpOfSpecialValues) {
  EXPECT_EQ(exp(0.0), 1);
  EXPECT_TRUE(std::isnan(exp(std::nan(""))));
  for (const double beyond : {710.0, 800.0, 1e300, infinity}) {
    EXPECT_EQ(exp(beyond), exp(709.0));
    EXPECT_EQ(exp(-beyond), exp(-707.0));
  }
}

TEST(Math, LogIsWithinTwoUnitsInTheLastPlace) {
  RandomStream draw(2, Purpose::stimulus, {});
  for (int i = 0; i < 300000; ++i) {
    const double x = std::exp((draw.uniform() - 0.5) * 1000);
    const double exact = static_cast<double>(std::log(static_cast<long double>(x)));
    EXPECT_NEAR(log(x), exact, 2 * (std::nextafter(std::abs(exact), infinity) - std::abs(exact)))
        << x;
  }
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_EQ(log(1.0), 0);
}

TEST(Math, ErfIsWithinTwoUnitsInTheLastPlace) {
  RandomStream draw(4, Purpose::stimulus, {});
  for (int i = 0; i < 300000; ++i) {
    const double x = (draw.uniform() - 0.5) * (i % 2 ? 14 : 3);
    const double exact = static_cast<double>(std::erf(static_cast<long double>(x)));
    const double unit = std::nextafter(std::abs(exact), infinity) - std::abs(exact);
    EXPECT_NEAR(erf(x), exact, 2 * unit) << x;
  }
  for (int k = -1074; k < 0; ++k)
    EXPECT_EQ(erf(std::ldexp(1.0, k)), -erf(-std::ldexp(1.0, k))) << k;
  EXPECT_EQ(erf(0.0), 0);
  EXPECT_EQ(erf(infinity), 1);
  EXPECT_EQ(erf(-infinity), -1);
  EXPECT_TRUE(std::isnan(erf(std::nan(""))));
}

TEST(Math, FloorGoesDown) {
  for (const double x : {-2.5, -2.0, -0.1, 0.0, 0.1, 0.5, 1.5, 2.5, 1e9 + 0.5})
    EXPECT_EQ(floor(x), std::floor(x)) << x;
}

TEST(Math, LanesAreBitIdenticalToScalars) {
  RandomStream draw(3, Purpose::stimulus, {});
  for (int i = 0; i < 20000; ++i) {
    Pack8 x;
    for (int l = 0; l < 8; ++l) x[l] = (draw.uniform() - 0.5) * 1500;
    const Pack8 e = exp(x), f = floor(x), lg = log(abs(x) + 1e-3);
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ(e[l], exp(static_cast<double>(x[l])));
      EXPECT_EQ(f[l], floor(static_cast<double>(x[l])));
      EXPECT_EQ(lg[l], log(abs(static_cast<double>(x[l])) + 1e-3));
    }
  }
}

}  // namespace
}  // namespace hillock::mechanisms
