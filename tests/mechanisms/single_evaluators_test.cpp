// Every built-in mechanism whose numbers fit into a float, in single precision beside double.
// Compiled with warnings for every double that a float becomes, and the reverse, as errors.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/index.hpp"
#include "emitted/ChannelTest.hpp"
#include "emitted/ChoicesTest.hpp"
#include "emitted/ImplicitTest.hpp"
#include "emitted/KineticTest.hpp"
#include "emitted/LastingTest.hpp"
#include "emitted/MethodsTest.hpp"
#include "emitted/OrdersTest.hpp"
#include "emitted/ShellsTest.hpp"
#include "emitted/StatementsTest.hpp"
#include "emitted/SteadyTest.hpp"
#include "emitted/TablesTest.hpp"
#include "mechanisms/emitted/all.hpp"

namespace hillock::mechanisms {
namespace {

template <class E, class V>
using VariablesOf = typename E::template Variables<V>;

template <class E, class V>
V& variable(VariablesOf<E, V>& x, int c) {
  static_assert(E::info.count() == 0 || sizeof(x) == sizeof(V) * at(E::info.count()));
  return reinterpret_cast<V*>(&x)[c];
}

/// A value for each variable that gives a mechanism something to do.
double usual_value(const VariableInfo& variable) {
  const std::string name = variable.name;
  if (name == "ena") return 50;
  if (name == "ek") return -77;
  if (name == "eca") return 120;
  if (name == "cai") return 2.5e-4;
  if (name == "cao") return 2;
  if (name == "area") return 300;
  if (name == "diam") return 2;
  if (name == "ica") return -0.01;
  if (variable.default_value == 0 && variable.minimum >= 0) return 0.0625;  // conductances
  return variable.default_value;
}

/// One instance in both precisions, its floats exactly the doubles.
template <class E>
struct Both {
  VariablesOf<E, double> wide{};
  VariablesOf<E, float> narrow{};

  void set(int c, double value) {
    variable<E, float>(narrow, c) = static_cast<float>(value);
    variable<E, double>(wide, c) = static_cast<double>(static_cast<float>(value));
  }
  double wide_value(int c) { return variable<E, double>(wide, c); }
  double narrow_value(int c) { return static_cast<double>(variable<E, float>(narrow, c)); }

  /// The doubles, rounded.
  void align() {
    for (int c = 0; c < E::info.count(); ++c) set(c, wide_value(c));
  }
};

/// What a float holds of it.
double rounded(double value) {
  return static_cast<double>(static_cast<float>(value));
}

/// From -100 to 50 mV, and closer and closer to where denominators of rates are 0.
std::vector<double> voltages() {
  std::vector<double> all;
  for (double v = -100; v <= 50; v += 0.3125) all.push_back(v);
  for (const double zero : {-66.0, -55.0, -40.0, -38.0, -35.0, -27.0, -25.0, 0.0})
    for (double off = 4; off > 1e-7; off /= 1.7)
      for (const double v : {zero - off, zero, zero + off}) all.push_back(rounded(v));
  return all;
}

/// The difference beside the value, or beside `scale` where that is larger.
double relative(double found, double expected, double scale) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
  return std::abs(found - expected) / std::max(std::abs(expected), scale);
}

template <class V>
class SinglePrecision : public testing::Test {};

template <class List>
struct AsTypes;
template <class... E>
struct AsTypes<Evaluators<E...>> {
  using type = testing::Types<E...>;
};

/// Tests are named after the mechanisms.
struct MechanismNames {
  template <class E>
  static std::string GetName(int) {
    return E::info.name;
  }
};
TYPED_TEST_SUITE(SinglePrecision, AsTypes<BuiltinEvaluators>::type, MechanismNames);

/// Tolerances are round-off of floats, 6e-8, times what the longest chain of operations makes of
/// it: exponents of up to 20 lose 20 times that, and powers of a shared exponential multiply it by
/// up to 8.
TYPED_TEST(SinglePrecision, IsDoubleWithinRoundOff) {
  using E = TypeParam;
  if constexpr (!E::info.keeps_doubles) {
    const auto name = [](int c) { return E::info.variables[c].name; };
    const bool is_pool = std::string(E::info.name) == "capool";  // states far below 1
    for (const double v : voltages())
      for (const double dt : {0.025, 1.0})
        for (const double state : {0.0, 0.75}) {
          Both<E> both;
          for (int c = 0; c < E::info.count(); ++c) both.set(c, usual_value(E::info.variables[c]));
          const Instant<double> wide{v, 10.0, dt, 36.0};
          const Instant<float> narrow = in_single(wide);
          E::template initialise<double>(both.wide, wide);
          E::template initialise<float>(both.narrow, narrow);
          for (int c = 0; c < E::info.count(); ++c)
            ASSERT_LT(relative(both.narrow_value(c), both.wide_value(c), 1e-6), 3e-6)
                << "initially " << name(c) << " at " << v;
          both.align();
          for (int c = E::info.first_state(); !is_pool && c < E::info.count(); ++c)
            both.set(c, state);

          const Current<double> a = E::template current<double>(both.wide, wide);
          const Current<float> b = E::template current<float>(both.narrow, narrow);
          ASSERT_LT(relative(static_cast<double>(b.i), a.i, std::abs(100 * a.g)), 5e-7)
              << "i at " << v;
          // The slope of GHK's equation is a difference of two numbers that grow near 0 mV; what it
          // loses there decides nothing but how implicit a step is.
          const bool is_ghk = std::string(E::info.name).ends_with("ghk");
          ASSERT_LT(relative(static_cast<double>(b.g), a.g, 1e-9),
                    !is_ghk ? 5e-7 : std::min(0.5, 1e-5 + 1e-5 / std::abs(v)))
              << "g at " << v;

          both.align();
          E::template advance<double>(both.wide, wide);
          E::template advance<float>(both.narrow, narrow);
          for (int c = E::info.first_state(); c < E::info.count(); ++c)
            ASSERT_LT(relative(both.narrow_value(c), both.wide_value(c), is_pool ? 0 : 0.1), 2e-6)
                << name(c) << " at " << v << " from " << state;
        }
  }
}

/// Every construct of the language compiles for floats, and gives what doubles give.
template <class... E>
void expect_constructs_near_double() {
  const auto one = []<class M>(Both<M> both) {
    if constexpr (!M::info.keeps_doubles) {
      for (int c = 0; c < M::info.count(); ++c) both.set(c, usual_value(M::info.variables[c]));
      const Instant<double> wide{-61.5, 0.0, 0.0625, 6.25};
      const Instant<float> narrow = in_single(wide);
      M::template initialise<double>(both.wide, wide);
      M::template initialise<float>(both.narrow, narrow);
      for (int round = 0; round < 3; ++round) {
        M::template current<double>(both.wide, wide);
        M::template current<float>(both.narrow, narrow);
        M::template advance<double>(both.wide, wide);
        M::template advance<float>(both.narrow, narrow);
      }
      for (int c = 0; c < M::info.count(); ++c)
        EXPECT_LT(relative(both.narrow_value(c), both.wide_value(c), 1e-3), 2e-5)
            << M::info.name << " " << M::info.variables[c].name;
    }
  };
  (one(Both<E>{}), ...);
}

TEST(SingleConstructs, GiveWhatDoublesGive) {
  expect_constructs_near_double<ChannelTest, ChoicesTest, ImplicitTest, KineticTest, LastingTest,
                                MethodsTest, OrdersTest, ShellsTest, StatementsTest, SteadyTest,
                                TablesTest>();
}

/// x/(e^x - 1) has all its digits where x is small: gates that open from 0 do by their opening
/// rate.
template <class E>
void expect_openings_near(std::initializer_list<double> zeros, std::initializer_list<int> gates) {
  double worst = 0;
  for (const double zero : zeros)
    for (double off = 20; off > 1e-7; off /= 1.05)
      for (const double v : {rounded(zero - off), zero, rounded(zero + off)}) {
        Both<E> both;
        for (int c = 0; c < E::info.count(); ++c) both.set(c, usual_value(E::info.variables[c]));
        const Instant<double> wide{v, 0.0, 0.5, 20.0};
        E::template initialise<double>(both.wide, wide);
        both.align();
        for (int c = E::info.first_state(); c < E::info.count(); ++c) both.set(c, 0);
        E::template advance<double>(both.wide, wide);
        E::template advance<float>(both.narrow, in_single(wide));
        for (const int gate : gates) {
          const int c = E::info.first_state() + gate;
          const double error = relative(both.narrow_value(c), both.wide_value(c), 1e-6);
          ASSERT_LT(error, 3e-6) << E::info.variables[c].name << " at " << v;
          worst = std::max(worst, error);
        }
      }
  testing::Test::RecordProperty("largest_relative_error", std::to_string(worst));
}

TEST(SingleRates, KeepTheirDigitsNearSingularPoints) {
  expect_openings_near<Hh>({-40, -55}, {0, 2});
  expect_openings_near<HhTraub>({-40, -55}, {0});
  expect_openings_near<Nat>({-38, -66}, {0, 1});
  expect_openings_near<Cal>({-27}, {0});
}

}  // namespace
}  // namespace hillock::mechanisms
