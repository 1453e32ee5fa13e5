#include "simulator/session/slopes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"

namespace hillock::session {
namespace {

using Numbers = Slopes::Numbers;
using Make = std::function<Numbers(const Numbers&)>;

/// Values, what cells begin with by them, and how often that was read.
struct Model {
  ModelValues values;
  Make make;
  std::atomic<int> readings = 0;

  Numbers numbers(const ModelValues& some) const {
    Numbers all;
    for (const auto& [path, number] : some) all.push_back(number);
    return make(all);
  }
  std::vector<double> derived(const Numbers& derivatives, int threads = 1) {
    readings = 0;
    Slopes slopes(values, numbers(values), threads);
    const auto read = [&](const ModelValues& some) {
      ++readings;
      return numbers(some);
    };
    const std::vector<double> found = slopes.derivatives(derivatives, read);
    const int once = readings;
    EXPECT_EQ(slopes.derivatives(derivatives, read), found);
    EXPECT_EQ(readings, once);
    return found;
  }
};

TEST(Slopes, ValuesThatShareNoNumberAreReadTogether) {
  Model model;
  for (int k = 0; k < 20; ++k) model.values.emplace_back(std::to_string(k), 0.1 * (k + 1));
  model.make = [](const Numbers& x) {
    Numbers all{7.5};
    for (const double one : x) all.insert(all.end(), {3 * one, 1 - one});
    return all;
  };
  Numbers by(41, 1);
  by[2] = 10;
  const std::vector<double> derived = model.derived(by);
  EXPECT_EQ(model.readings, 6);
  EXPECT_NEAR(derived[0], 3 - 10, 1e-11);
  for (int k = 1; k < 20; ++k) EXPECT_NEAR(derived[k], 2, 1e-11);
  EXPECT_EQ(model.derived(by, 4), derived);
}

TEST(Slopes, WhatIsBentTakesNoMoreReadings) {
  Model model{{{"a", 2}, {"b", 3}, {"c", -4}}, [](const Numbers& x) {
                return Numbers{1 / x[0], 5 * x[1], std::exp(x[2])};
              }};
  const std::vector<double> derived = model.derived({1, 1, 1});
  EXPECT_EQ(model.readings, 5);
  EXPECT_NEAR(derived[0], -0.25, 1e-12);
  EXPECT_NEAR(derived[1], 5, 1e-11);
  EXPECT_NEAR(derived[2], std::exp(-4.0), 1e-11 * std::exp(-4.0) + 1e-13);
}

TEST(Slopes, ValuesOf0AreNotMovedBelowIt) {
  Model model{{{"a", 0}, {"b", 3}, {"c", 0}}, [](const Numbers& x) {
                if (x[0] < 0 || x[2] < 0) throw UsageError("goes below 0");
                return Numbers{2 + 5 * x[0], x[1], std::exp(x[2])};
              }};
  const std::vector<double> derived = model.derived({1, 1, 1});
  EXPECT_NEAR(derived[0], 5, 1e-11);
  EXPECT_NEAR(derived[1], 1, 1e-11);
  EXPECT_NEAR(derived[2], 1, 1e-9);
  EXPECT_EQ(model.readings, 5);
}

TEST(Slopes, ValuesAtALimitAreMovedAwayFromIt) {
  Model model{{{"a", 1}, {"b", 3}, {"c", -2}}, [](const Numbers& x) {
                if (x[0] > 1 || x[2] < -2) reject({}, "beyond a limit");
                return Numbers{std::exp(x[0]), 5 * x[1], x[2] * x[2]};
              }};
  const std::vector<double> derived = model.derived({1, 1, 1});
  EXPECT_NEAR(derived[0], std::exp(1.0), 1e-10);
  EXPECT_NEAR(derived[1], 5, 1e-11);
  EXPECT_NEAR(derived[2], -4, 1e-10);
}

TEST(Slopes, WhatCannotBeMovedIsNamed) {
  Model model{{{"a", 2}, {"b", 3}}, [](const Numbers& x) {
                if (x[1] != 3) reject({}, "no whole number");
                return Numbers{x[0]};
              }};
  try {
    model.derived({1});
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(
        problem.what(),
        testing::StartsWith("there is no derivative by b: it cannot be a little more or less: "));
  }
}

TEST(Slopes, WhatDependsOnTwoIsFoundOneByOne) {
  Model model{{{"a", 2}, {"b", 3}, {"c", 2}}, [](const Numbers& x) {
                return Numbers{x[0] * x[1], x[0] - x[2], x[2]};
              }};
  const std::vector<double> derived = model.derived({1, 1, 1});
  EXPECT_NEAR(derived[0], 4, 1e-11);
  EXPECT_NEAR(derived[1], 2, 1e-11);
  EXPECT_NEAR(derived[2], 0, 1e-11);
  // What nothing is derived by may depend on anything.
  EXPECT_NEAR(model.derived({0, 0, 1})[2], 1, 1e-11);
  EXPECT_EQ(model.readings, 5);
}

TEST(Slopes, TheyDoNotDependOnWhatWasAskedBefore) {
  const ModelValues values{{"a", 2}, {"b", 3}};
  const auto read = [](const ModelValues& some) {
    const double a = some[0].second, b = some[1].second;
    return Numbers{a * b, std::exp(a), 0.1 * b};
  };
  Slopes slopes(values, read(values), 1);
  const Numbers by{0, 1, 1}, by_all{1, 1, 1};
  const std::vector<double> found = slopes.derivatives(by, read),
                            of_all = slopes.derivatives(by_all, read);
  EXPECT_EQ(slopes.derivatives(by, read), found);
  EXPECT_EQ(Slopes(values, read(values), 1).derivatives(by_all, read), of_all);
}

TEST(Slopes, TheValueThatChangesSomethingElseIsNamed) {
  Model model{{{"a", 2}, {"b", 3}}, [](const Numbers& x) {
                if (x[1] != 3) throw UsageError("changes the temperature");
                return Numbers{x[0]};
              }};
  try {
    model.derived({1});
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_STREQ(problem.what(), "there is no derivative by b: it changes the temperature");
  }
}

}  // namespace
}  // namespace hillock::session
