// What lasts from call to call, arrays with indices that only a run knows, and implicit steps of
// emitted evaluators, against values worked out by hand or by another method.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/index.hpp"
#include "emitted/BufferedTest.hpp"
#include "emitted/ChannelTest.hpp"
#include "emitted/ChoicesTest.hpp"
#include "emitted/ImplicitTest.hpp"
#include "emitted/LastingTest.hpp"
#include "emitted/ShellsTest.hpp"
#include "emitted/SpreadingTest.hpp"
#include "emitted/SteadyTest.hpp"
#include "emitted_instance.hpp"

namespace hillock::mechanisms {
namespace {

template <class V>
class EmittedLowering : public testing::Test {};
using Values = testing::Types<double, Pack4, Pack8>;
TYPED_TEST_SUITE(EmittedLowering, Values);

TYPED_TEST(EmittedLowering, WhatLaterCallsReadIsKept) {
  EXPECT_TRUE(LastingTest::info.changes_in_current);
  EXPECT_TRUE(LastingTest::info.changes_parameters);
  Instance<LastingTest, TypeParam> x;
  x.set("other", -65);
  LastingTest::initialise(x.x, x.at(-65, 0, 0.1));
  EXPECT_EQ(x.get("begun"), 7);
  EXPECT_EQ(x.get("steps"), 10);
  EXPECT_EQ(x.get("gain"), 2);
  double peak = -1000, gain = 2, other = -65;
  for (const double v : {-70.0, -60.0, -65.0}) {
    const auto flow = LastingTest::current(x.x, x.at(v, 0, 0.1));
    peak = std::max(peak, v);
    const double apart = v - other;
    EXPECT_NEAR(first_lane(flow.i), 0.001 * apart + 0.002 * apart * apart * 2 * gain, 1e-14);
    EXPECT_NEAR(first_lane(flow.g), 0.001 + 0.004 * apart * 2 * gain, 1e-14);
    EXPECT_EQ(x.get("peak"), peak);
    LastingTest::advance(x.x, x.at(v, 0.1, 0.1));
    gain += 1;
    other = peak;
    EXPECT_EQ(x.get("gain"), gain);
    EXPECT_EQ(x.get("other"), other);
  }
  EXPECT_EQ(x.get("steps"), 40);
  EXPECT_EQ(x.get("solved"), 3);
}

TEST(EmittedLowering, APointerIsReadAndWritten) {
  const Coupling& pointer = LastingTest::couplings[0];
  EXPECT_EQ(LastingTest::info.coupling_count, 1);
  EXPECT_EQ(pointer.quantity, SharedQuantity::pointer);
  EXPECT_STREQ(LastingTest::info.variables[pointer.column].name, "other");
  EXPECT_TRUE(pointer.reads && pointer.writes);
}

/// `computed` is a PARAMETER by name and always set before it is read.
TEST(EmittedLowering, AParameterThatIsAlwaysComputedIsNone) {
  for (int c = 0; c < LastingTest::info.parameters; ++c)
    EXPECT_STRNE(LastingTest::info.variables[c].name, "computed");
}

TYPED_TEST(EmittedLowering, IndicesAndBoundsMayBeKnownOnlyInARun) {
  for (const double n : {0.0, 1.0, 3.0, 5.0}) {
    Instance<ChoicesTest, TypeParam> x;
    x.set("n", n);
    ChoicesTest::initialise(x.x, x.at(-65, 0, 0.1));
    double sum = 0;
    for (int k = 0; k < 5; ++k) {
      if (k < n) sum += k * k;
      EXPECT_EQ(x.get("squares[" + std::to_string(k) + "]"), k < n ? k * k : -1);
    }
    EXPECT_EQ(x.get("sum"), sum);
    EXPECT_EQ(x.get("picked"), n > 2 ? 4 : -1);
    EXPECT_TRUE(std::isnan(x.get("outside")));
  }
}

TYPED_TEST(EmittedLowering, LoopsAndBranchesHaveLoopsInside) {
  for (const double n : {0.0, 2.0, 3.0, 5.0}) {
    Instance<ChoicesTest, TypeParam> x;
    x.set("n", n);
    ChoicesTest::initialise(x.x, x.at(-65, 0, 0.1));
    double nested = 0;
    for (int a = 0; a < n; ++a) nested += (a + 1) * (a * a + 1);
    EXPECT_EQ(x.get("nested"), nested);
    EXPECT_EQ(x.get("branched"), n > 2 ? 3 * n * n : 0);
  }
}

TYPED_TEST(EmittedLowering, ALoopEndsWhenItsStepIsNotAboveZero) {
  Instance<ChoicesTest, TypeParam> x;
  x.set("by", 0);
  ChoicesTest::initialise(x.x, x.at(-65, 0, 0.1));
  EXPECT_EQ(x.get("sum"), 0);
  x.set("by", 3);
  ChoicesTest::initialise(x.x, x.at(-65, 0, 0.1));
  EXPECT_EQ(x.get("sum"), 9);
}

TYPED_TEST(EmittedLowering, SlopesGoThroughElementsThatARunChooses) {
  Instance<ChoicesTest, TypeParam> x;  // a[1] = 3·v + v³
  ChoicesTest::initialise(x.x, x.at(-20, 0, 0.1));
  const auto flow = ChoicesTest::current(x.x, x.at(-20, 0, 0.1));
  EXPECT_NEAR(first_lane(flow.i), -60 - 8000, 1e-10);
  EXPECT_NEAR(first_lane(flow.g), 3 + 3 * 400, 1e-10);
}

TYPED_TEST(EmittedLowering, AnElementIsEachLanesOwn) {
  using V = TypeParam;
  constexpr int lanes = sizeof(V) / sizeof(double), most = 8;
  const std::array<double, most> indices{2, -1, 0, 3, std::nan(""), 1e300, 1, 2};
  std::array<double, lanes> found{};
  V index, array[3] = {V{} + 10.0, V{} + 20.0, V{} + 30.0};
  for (int first = 0; first < most; first += lanes) {
    std::memcpy(&index, &indices[at(first)], sizeof(V));
    const V read = element<V>(index, array);
    V changed[3] = {array[0], array[1], array[2]}, unchanged[3] = {array[0], array[1], array[2]};
    set_element<V>(index, V{} + 7.0, changed);
    set_element<V>(index, V{} + 7.0, unchanged, index != index);
    for (int k = 0; k < 3; ++k) EXPECT_FALSE(any(unchanged[k] != array[k]));
    std::memcpy(found.data(), &read, sizeof(V));
    for (int l = 0; l < lanes; ++l) {
      const double where = indices[at(first + l)];
      const bool is_inside = where >= 0 && where < 3;
      if (is_inside)
        EXPECT_EQ(found[at(l)], 10 * (where + 1));
      else
        EXPECT_TRUE(std::isnan(found[at(l)]));
      for (int k = 0; k < 3; ++k) {
        std::array<double, lanes> now{};
        std::memcpy(now.data(), &changed[k], sizeof(V));
        EXPECT_EQ(now[at(l)], k == where ? 7 : 10 * (k + 1));
      }
    }
  }
}

/// Unknowns within the current against their closed form, the slope against a central difference.
TYPED_TEST(EmittedLowering, SlopesGoThroughEquationsThatTheCurrentSolves) {
  for (double v = 5; v <= 60; v += 11) {
    Instance<ImplicitTest, TypeParam> x;
    x.set("y", 1);
    const auto flow = ImplicitTest::current(x.x, x.at(v, 0, 0.1));
    const double solved_x = (3 + v / 10) / (3 + v * v / 1000), y = x.get("y");
    EXPECT_NEAR(x.get("x"), solved_x, 1e-12);
    EXPECT_NEAR(x.get("z"), solved_x - v / 10, 1e-12);
    EXPECT_NEAR(y * y * y + y * solved_x, v / 10, 1e-8);
    const double h = 1e-3;
    const auto i_at = [&](double where) {
      return first_lane(ImplicitTest::current(x.x, x.at(where, 0, 0.1)).i);
    };
    const double slope = (i_at(v + h) - i_at(v - h)) / (2 * h);
    EXPECT_NEAR(first_lane(flow.g), slope, 1e-6 * std::abs(slope) + 1e-9) << v;
  }
}

/// Gauss' elimination of a full matrix: what the emitted code's answers are compared with.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = a[r][k] / a[k][k];
      for (std::size_t c = k; c < n; ++c) a[r][c] -= factor * a[k][c];
      b[r] -= factor * b[k];
    }
  for (std::size_t k = 0; k < n; ++k) b[k] /= a[k][k];
  return b;
}

TYPED_TEST(EmittedLowering, FortyShellsTakeTheBackwardStep) {
  constexpr int n = 40;
  constexpr double dt = 0.5, rate = 0.7;
  Instance<ShellsTest, TypeParam> x;
  ShellsTest::initialise(x.x, x.at(-65, 0, dt));
  std::vector<double> c(n, 0);
  c[0] = 10;
  for (int step = 0; step < 20; ++step) {
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
    std::vector<double> b(n);
    for (int k = 0; k < n; ++k) {
      a[k][k] += 1 + 0.1 * k;
      b[k] = (1 + 0.1 * k) * c[k];
      if (k + 1 == n) continue;
      a[k][k] += dt * rate;
      a[k + 1][k + 1] += dt * rate;
      a[k][k + 1] -= dt * rate;
      a[k + 1][k] -= dt * rate;
    }
    c = solved(a, b);
    ShellsTest::advance(x.x, x.at(-65, 0, dt));
    // What the block computes from its states is that of the new ones.
    EXPECT_EQ(x.get("outer"), x.get("c[0]"));
    EXPECT_EQ(x.get("seen"), 2 * x.get("c[0]") + (x.get("c[0]") > 1 ? 1 : 0));
    for (int k = 0; k < n; ++k)
      EXPECT_NEAR(x.get("c[" + std::to_string(k) + "]"), c[k], 1e-13) << k;
  }
}

/// Of two volumes the first counts for what spreads, and the last for reactions.
TYPED_TEST(EmittedLowering, AStepLeavesCoefficientsAndVolumesOfWhatSpreads) {
  constexpr double dt = 0.1;
  Instance<SpreadingTest, TypeParam> x;
  x.set("D", 0.8);
  x.set("size", 2);
  SpreadingTest::initialise(x.x, x.at(-65, 0, dt));
  SpreadingTest::advance(x.x, x.at(-65, 0, dt));
  const auto of = [&](int column) { return x.get(SpreadingTest::info.variables[column].name); };
  struct Spread {
    const char* state;
    double coefficient, volume;
  };
  const Spread expected[] = {{"a[0]", 0.8 * 2, 2}, {"a[1]", 0.8 * 3, 4}, {"b", 0.8 / 2, 5}};
  ASSERT_EQ(SpreadingTest::info.diffusion_count, 3);
  for (int k = 0; k < 3; ++k) {
    const Diffusion& one = SpreadingTest::info.diffusions[k];
    EXPECT_STREQ(SpreadingTest::info.variables[one.state].name, expected[k].state);
    EXPECT_NEAR(of(one.coefficient), expected[k].coefficient, 1e-15) << k;
    EXPECT_NEAR(of(one.volume), expected[k].volume, 1e-15) << k;
  }
  // size a' = 0.25 b - 0.5 a, 7 b' = 0.5 a - 0.25 b
  const auto [a, b] = std::array{x.get("a[0]"), x.get("b")};
  EXPECT_NEAR(2 * (a - 1), dt * (0.25 * b - 0.5 * a), 1e-14);
  EXPECT_NEAR(7 * (b - 4), dt * (0.5 * a - 0.25 * b), 1e-14);
  EXPECT_EQ(x.get("a[1]"), 2);
}

template <class E>
constexpr bool has_parts = requires {
  typename E::template Kept_advance<double>;
};

/// Rounds of Newton's method that are too long for one function: values go from part to part.
TYPED_TEST(EmittedLowering, ALongFunctionInPartsTakesTheImplicitStep) {
  static_assert(has_parts<BufferedTest> && !has_parts<ChannelTest>);
  constexpr int n = 30;
  constexpr double dt = 0.1, apart = 0.7, binding = 3, leaving = 0.4;
  const auto of = [](const char* name, int k) { return name + ("[" + std::to_string(k) + "]"); };
  for (const double implicit_dt : {dt, dt / 2}) {
    Instance<BufferedTest, TypeParam> x;
    BufferedTest::initialise(x.x, x.at(-65, 0, dt));
    for (int step = 0; step < 20; ++step) {
      const auto before = x;
      auto instant = x.at(-65, 0, dt);
      instant.implicit_dt_ms = implicit_dt;
      BufferedTest::advance(x.x, instant);
      // Where the slope is taken: at the end of the step, or, midway between both ends.
      const double share = implicit_dt / dt;
      const auto there = [&](const char* name, int k) {
        const double old = before.get(of(name, k));
        return old + share * (x.get(of(name, k)) - old);
      };
      for (int k = 0; k < n; ++k) {
        double flux = 0;
        if (k > 0) flux += apart * (there("ca", k - 1) - there("ca", k));
        if (k + 1 < n) flux += apart * (there("ca", k + 1) - there("ca", k));
        const auto change = [&](const char* name) {
          return (x.get(of(name, k)) - before.get(of(name, k))) / dt;
        };
        const double bound =
            binding * there("ca", k) * there("free", k) - leaving * there("bound", k);
        EXPECT_NEAR(change("bound"), bound, 1e-8);
        EXPECT_NEAR(change("ca"), flux - bound, 1e-8);
        EXPECT_NEAR(change("free"), -bound, 1e-8);
      }
      EXPECT_NE(x.get("bound[0]"), before.get("bound[0]"));
    }
    if (implicit_dt == dt) {
      EXPECT_EQ(x.get("seen"), 2 * x.get("ca[0]"));
    }
  }
}

TYPED_TEST(EmittedLowering, ASchemeWithALoopTakesTheBackwardStep) {
  constexpr double dt = 0.2;
  const std::vector<std::string> names{"c1", "c2", "c3", "o1", "o2", "i1"};
  constexpr double forward[] = {3, 2, 1, 0.3, 0.4, 0.05}, back[] = {0.5, 1, 1.5, 0.2, 0.1, 0.02};
  Instance<ChannelTest, TypeParam> x;
  ChannelTest::initialise(x.x, x.at(-65, 0, dt));
  std::vector<double> y{1, 0, 0, 0, 0, 0};
  double single = 2, pair = 0;
  for (int step = 0; step < 30; ++step) {
    std::vector<std::vector<double>> a(6, std::vector<double>(6, 0));
    for (int k = 0; k < 6; ++k) {
      const int to = (k + 1) % 6;
      a[k][k] += 1 + dt * forward[k];
      a[to][k] -= dt * forward[k];
      a[to][to] += dt * back[k];
      a[k][to] -= dt * back[k];
    }
    y = solved(a, y);
    ChannelTest::advance(x.x, x.at(-65, 0, dt));
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(x.get(names[k]), y[k], 1e-13) << names[k];
    // Two equations of the dimers' step, one of which is the sum of atoms.
    const double flux = 0.6 * x.get("single") * x.get("single") - 0.1 * x.get("pair");
    EXPECT_NEAR(x.get("single"), single - 2 * dt * flux, 1e-9);
    EXPECT_NEAR(x.get("single") + 2 * x.get("pair"), single + 2 * pair, 1e-12);
    single = x.get("single");
    pair = x.get("pair");
  }
}

TYPED_TEST(EmittedLowering, SolveInInitialRunsWhereItStands) {
  for (const double on : {1.0, 0.0}) {
    Instance<SteadyTest, TypeParam> x;
    x.set("on", on);
    SteadyTest::initialise(x.x, x.at(-65, 0, 0.1));
    EXPECT_EQ(x.get("before"), 0.25);
    EXPECT_NEAR(x.get("after"), on > 0 ? 0.6 : 0.25, 1e-8);
  }
}

/// Backward Euler, and then the limit that the block puts on its state; an equation that is not
/// linear, or gives its state to a FUNCTION, leaves METHOD cnexp for backward Euler.
TYPED_TEST(EmittedLowering, ABlockMayLimitTheStateItSolvesFor) {
  constexpr double dt = 0.5;
  Instance<SteadyTest, TypeParam> x;
  SteadyTest::initialise(x.x, x.at(-65, 0, dt));
  double pool = 2, faded = 1;
  for (int step = 0; step < 20; ++step) {
    SteadyTest::advance(x.x, x.at(-65, 0, dt));
    pool = std::max(0.5, pool / (1 + dt / 4));
    faded = (std::sqrt(1 + 4 * dt * faded) - 1) / (2 * dt);
    EXPECT_NEAR(x.get("pool"), pool, 1e-9);
    EXPECT_NEAR(x.get("faded"), faded, 1e-9);
    EXPECT_NEAR(x.get("given"), faded, 1e-9);
  }
}

}  // namespace
}  // namespace hillock::mechanisms
