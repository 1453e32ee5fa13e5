// Mathematics of evaluators on floats: accuracy against double, special values, tables.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random/random.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

/// How many units in the last place of a float a result is from what double says.
double units_off(float found, double exact) {
  const float size = std::abs(static_cast<float>(exact));
  return std::abs(static_cast<double>(found) - exact) /
         (static_cast<double>(std::nextafter(size, infinite)) - static_cast<double>(size));
}

float uniform(RandomStream& draw, double from, double to) {
  return static_cast<float>(from + (to - from) * draw.uniform());
}

TEST(SingleMath, ExpIsWithinOneUnitInTheLastPlace) {
  RandomStream draw(1, Purpose::stimulus, {});
  const auto check = [](float x) { EXPECT_LE(units_off(exp(x), std::exp(double(x))), 1) << x; };
  for (int i = 0; i < 300000; ++i) check(i % 2 ? uniform(draw, -87, 88) : uniform(draw, -1, 1));
  for (int k = -125; k <= 126; ++k)  // where |r| is largest
    for (const double off : {-0.5, 0.5}) check(static_cast<float>((k + off) * std::log(2.0)));
  for (int i = 0; i < 140; ++i) check(std::ldexp(i % 2 ? 1.0f : -1.0f, -i));
}

TEST(SingleMath, ExpOfSpecialValues) {
  EXPECT_EQ(exp(0.0f), 1);
  EXPECT_TRUE(std::isnan(exp(std::nanf(""))));
  EXPECT_TRUE(std::isnan(exp(from_bits(0x7fffffff))));  // a device's
  for (const float beyond : {89.0f, 800.0f, 1e38f, infinite}) {
    EXPECT_EQ(exp(beyond), exp(88.0f));
    EXPECT_EQ(exp(-beyond), exp(-87.0f));
    EXPECT_TRUE(std::isnormal(exp(beyond)) && std::isnormal(exp(-beyond)));
  }
}

TEST(SingleMath, ExpLessOneKeepsItsDigitsNearZero) {
  RandomStream draw(2, Purpose::stimulus, {});
  for (int i = 0; i < 200000; ++i) {
    const float x = uniform(draw, -1, 1) * std::ldexp(1.0f, -(i % 40));
    const float difference = exp(x) - 1.0f;
    EXPECT_LE(units_off(exp_less_one(x, difference), std::expm1(double(x))), 4) << x;
    EXPECT_EQ(one_less_exp(x, -difference), -exp_less_one(x, difference)) << x;
  }
  EXPECT_EQ(exp_less_one(0.0f, 3.0f), 0);
  EXPECT_TRUE(std::isnan(exp_less_one(std::nanf(""), std::nanf(""))));
  EXPECT_EQ(exp_less_one(0.25, 3.0), 3) << "in double the difference is taken as it is";
}

TEST(SingleMath, LogIsWithinOneUnitInTheLastPlace) {
  RandomStream draw(3, Purpose::stimulus, {});
  for (int i = 0; i < 300000; ++i) {
    const float x = i % 2 ? exp(uniform(draw, -87, 88)) : uniform(draw, 0.5, 2);
    if (x == 1) continue;
    EXPECT_LE(units_off(log(x), std::log(double(x))), 1) << x;
  }
  EXPECT_EQ(log(1.0f), 0);
  EXPECT_TRUE(std::isnan(log(-1.0f)));
  EXPECT_NEAR(static_cast<double>(log10(1000.0f)), 3, 1e-6);
}

TEST(SingleMath, PowKeepsTheDigitsOfLargeExponents) {
  RandomStream draw(4, Purpose::stimulus, {});
  for (int i = 0; i < 300000; ++i) {
    const float x = exp(i % 2 ? uniform(draw, -80, 80) : uniform(draw, -1, 1));
    const float y = i % 4 < 2 ? uniform(draw, -200, 200) : uniform(draw, -4, 4);
    const double exact = std::pow(double(x), double(y));
    if (exact < 1.7e-38 || exact > 1.6e38) continue;
    EXPECT_LE(units_off(pow(x, y), exact), 6) << x << " " << y;
  }
  EXPECT_EQ(pow(-2.0f, 3.0f), -pow(2.0f, 3.0f));
  EXPECT_TRUE(std::isnan(pow(-2.0f, 0.5f)));
  EXPECT_EQ(pow(0.0f, 2.0f), 0);
  EXPECT_EQ(pow(0.0f, -2.0f), infinite);
  EXPECT_EQ(pow(-7.0f, 0.0f), 1);
  EXPECT_GT(pow(1e30f, 1e38f), 1e38f);
  EXPECT_LT(pow(1e30f, -1e38f), 1e-37f);
}

TEST(SingleMath, TheRestIsWhatTheMachineSays) {
  for (const float x : {-2.5f, -2.0f, -0.1f, 0.0f, 0.1f, 0.5f, 1.5f, 3e7f}) {
    EXPECT_EQ(floor(x), std::floor(x)) << x;
    EXPECT_EQ(abs(x), std::abs(x)) << x;
    EXPECT_EQ(min(x, 1.0f), std::min(x, 1.0f)) << x;
    EXPECT_EQ(max(x, 1.0f), std::max(x, 1.0f)) << x;
    EXPECT_EQ(tanh(x), static_cast<float>(std::tanh(double{x}))) << x;
    EXPECT_EQ(atan2(x, 2.0f), static_cast<float>(std::atan2(double{x}, 2.0))) << x;
    EXPECT_EQ(erf(x), static_cast<float>(erf(double{x}))) << x;
    EXPECT_EQ(integer_power<3>(x), x * x * x) << x;
  }
  EXPECT_EQ(sqrt(2.0f), std::sqrt(2.0f));
}

TEST(SingleMath, TablesAreLookedUpInFloats) {
  static constexpr float values[] = {1, 3, -1, 0}, points[] = {0, 1, 1, 4};
  const Grid<1, float> even{values, {{4, -10, 20, nullptr}}};
  for (const float x : {-50.0f, -10.0f, -2.5f, 2.5f, 19.0f, 20.0f, 70.0f}) {
    static constexpr double wide[] = {1, 3, -1, 0};
    const Grid<1> doubles{wide, {{4, -10, 20, nullptr}}};
    EXPECT_NEAR(static_cast<double>(table_value<float>(even, {x})),
                table_value<double>(doubles, {double(x)}), 2e-6);
    EXPECT_NEAR(static_cast<double>(table_slope<float>(even, 0, {x})),
                table_slope<double>(doubles, 0, {double(x)}), 1e-7);
  }
  // Points that only doubles tell apart.
  EXPECT_TRUE(
      std::isfinite(table_value<float>(Grid<1, float>{values, {{4, 0, 4, points}}}, {1.0f})));
}

TEST(SingleMath, EquationsAreSolvedToRoundOff) {
  float a[3][3] = {{0, 2, 1}, {4, 1, -1}, {1, 1, 1}}, b[3] = {7, 3, 6};  // x = 1, 2, 3
  solve_dense<3>(a, b);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(static_cast<double>(b[k]), k + 1, 2e-6);
}

}  // namespace
}  // namespace hillock::mechanisms
