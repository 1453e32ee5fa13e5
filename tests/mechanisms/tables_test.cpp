// FUNCTION_TABLEs: the interpolation against what it must reproduce, what is emitted for them, and
// which of them a file is given.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "emitted/TablesTest.hpp"
#include "emitted_instance.hpp"
#include "mechanisms/load/mod_file.hpp"
#include "mechanisms/nmodl/lower.hpp"

namespace hillock::mechanisms {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double round_off = 1e-14;

template <class V>
class Tables : public testing::Test {};
TYPED_TEST_SUITE(Tables, Values);

/// x of the first lane, other numbers in the others, which must not matter to it.
template <class V>
V lanes(double x) {
  if constexpr (sizeof(V) == sizeof(double)) {
    return x;
  } else {
    V result = V{} + x;
    for (std::size_t l = 1; l < sizeof(V) / sizeof(double); ++l)
      result[l] = x + 7 * static_cast<double>(l);
    return result;
  }
}

template <class V, int n>
double value_at(const Grid<n>& grid, const V (&u)[n]) {
  return first_lane(table_value<V>(grid, u));
}

TYPED_TEST(Tables, OfOneArgumentAreLinearBetweenPointsAndConstantBeyond) {
  using V = TypeParam;
  const double values[] = {1, 3, -1, 0};
  const Grid<1> grid{values, {{4, -10, 20, nullptr}}};
  struct Expected {
    double x, value, slope;
  };
  for (const auto& [x, value, slope] : {Expected{-1e300, 1, 0},
                                        {-10.5, 1, 0},
                                        {-10, 1, 0.2},
                                        {-7.5, 1.5, 0.2},
                                        {0, 3, -0.4},
                                        {2.5, 2, -0.4},
                                        {10, -1, 0.1},
                                        {15, -0.5, 0.1},
                                        {20, 0, 0},
                                        {1e300, 0, 0}}) {
    EXPECT_NEAR(value_at<V>(grid, {lanes<V>(x)}), value, round_off) << x;
    EXPECT_NEAR(first_lane(table_slope<V>(grid, 0, {lanes<V>(x)})), slope, round_off) << x;
  }
}

TYPED_TEST(Tables, EachLaneLooksUpItsOwn) {
  using V = TypeParam;
  const double values[] = {0, 100};
  const Grid<1> grid{values, {{2, 0, 100, nullptr}}};
  const V x = lanes<V>(3), found = table_value<V>(grid, {x});
  for (std::size_t l = 0; l < sizeof(V) / sizeof(double); ++l)
    EXPECT_NEAR(reinterpret_cast<const double*>(&found)[l], reinterpret_cast<const double*>(&x)[l],
                1e-12);
}

TYPED_TEST(Tables, MayHaveUnevenPoints) {
  using V = TypeParam;
  const double points[] = {-3, -1, 0, 10}, values[] = {9, 1, 0, 100};
  const Grid<1> grid{values, {{4, -3, 10, points}}};
  struct Expected {
    double x, value, slope;
  };
  for (const auto& [x, value, slope] : {Expected{-4, 9, 0},
                                        {-3, 9, -4},
                                        {-2, 5, -4},
                                        {-1, 1, -1},
                                        {-0.5, 0.5, -1},
                                        {0, 0, 10},
                                        {4, 40, 10},
                                        {11, 100, 0}}) {
    EXPECT_NEAR(value_at<V>(grid, {lanes<V>(x)}), value, round_off) << x;
    EXPECT_NEAR(first_lane(table_slope<V>(grid, 0, {lanes<V>(x)})), slope, round_off) << x;
  }
}

/// Linear in each argument: reproduced between the points, with its slopes.
TYPED_TEST(Tables, OfSeveralArgumentsAreLinearInEach) {
  using V = TypeParam;
  const auto f = [](double x, double y, double z) { return 1 + 2 * x - y + 0.5 * x * y * z; };
  double values[3 * 2 * 4];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 4; ++k) values[(i * 2 + j) * 4 + k] = f(i, 10 + j, 5 - 3 + 2 * k);
  const Grid<3> grid{values, {{3, 0, 2, nullptr}, {2, 10, 11, nullptr}, {4, 2, 8, nullptr}}};
  for (const double x : {0.0, 0.3, 1.0, 1.9})
    for (const double y : {10.0, 10.7})
      for (const double z : {2.5, 4.0, 7.9}) {
        const V u[] = {lanes<V>(x), lanes<V>(y), lanes<V>(z)};
        EXPECT_NEAR(value_at<V>(grid, u), f(x, y, z), 1e-13);
        EXPECT_NEAR(first_lane(table_slope<V>(grid, 0, u)), 2 + 0.5 * y * z, 1e-13);
        EXPECT_NEAR(first_lane(table_slope<V>(grid, 1, u)), -1 + 0.5 * x * z, 1e-13);
        EXPECT_NEAR(first_lane(table_slope<V>(grid, 2, u)), 0.5 * x * y, 1e-13);
      }
  EXPECT_NEAR(value_at<V>(grid, {lanes<V>(1), lanes<V>(50), lanes<V>(3)}), f(1, 11, 3), 1e-13);
}

TYPED_TEST(Tables, OfOnePointAreConstantThere) {
  using V = TypeParam;
  const double values[] = {4, 6};
  const Grid<2> grid{values, {{1, 0, 0, nullptr}, {2, 0, 1, nullptr}}};
  for (const double x : {-1.0, 0.0, 1.0})
    EXPECT_EQ(value_at<V>(grid, {lanes<V>(x), lanes<V>(0.5)}), 5);
}

TYPED_TEST(Tables, OfNoNumberAreNone) {
  using V = TypeParam;
  const double points[] = {0, 1, 5}, values[] = {1, 2, 3};
  const V nan = V{} + std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(value_at<V>(Grid<1>{values, {{3, 0, 5, points}}}, {nan})));
  EXPECT_TRUE(std::isnan(value_at<V>(Grid<1>{values, {{3, 0, 5, nullptr}}}, {nan})));
}

TYPED_TEST(Tables, AreZeroWhereNoneAreGiven) {
  Instance<TablesTest, TypeParam> x;
  TablesTest::initialise(x.x, x.at(-65, 0, 0.1));
  EXPECT_EQ(x.get("m"), 0);
  EXPECT_EQ(x.get("seen"), 0);
  const auto flow = TablesTest::current(x.x, x.at(-65, 0, 0.1));
  EXPECT_EQ(first_lane(flow.i), 0);
  EXPECT_EQ(first_lane(flow.g), 0);
}

/// A channel whose current is a table of v and whose other table's second argument is fixed.
constexpr const char* mod = R"(NEURON { SUFFIX own NONSPECIFIC_CURRENT i }
PARAMETER { warmth = 1.5 }
ASSIGNED { v i }
BREAKPOINT { i = flow(v)*lag(v, warmth) + level(v) }
FUNCTION_TABLE flow(v)
FUNCTION_TABLE lag(v, w)
FUNCTION_TABLE level(v)
FUNCTION_TABLE unused(v)
)";

GivenTable line(std::vector<double> values, double from, double to) {
  const int count = static_cast<int>(values.size());
  return {{{count, from, to}}, std::move(values), {"model.yaml", 4, 5}};
}

ModReading reading_with(const GivenTables& tables, Diagnostics& diagnostics) {
  return read_mod("own.mod", mod, {}, {.tables = tables, .peer = {}, .peer_place = {}},
                  diagnostics);
}

std::vector<std::string> texts(const Diagnostics& diagnostics) {
  std::vector<std::string> all;
  for (const auto& diagnostic : diagnostics.all()) all.push_back(to_string(diagnostic));
  return all;
}

TEST(GivenTables, AreCompiledIn) {
  Diagnostics diagnostics;
  GivenTable lag{{{2, -80, 0}, {2, 1, 2, {1, 2}}}, {1, 2, 3, 4}, {}};
  const auto reading = reading_with(
      {{"flow", line({0, 0.5, 2}, -100, -20)}, {"lag", lag}, {"level", {{}, {0.3}, {}}}},
      diagnostics);
  EXPECT_THAT(texts(diagnostics), IsEmpty());
  ASSERT_TRUE(reading.file);
  EXPECT_THAT(reading.file->missing_tables, IsEmpty());
  const std::string& header = reading.file->header;
  EXPECT_THAT(header, HasSubstr("Grid<1, N> table_flow()"));
  EXPECT_THAT(header, HasSubstr("0.0, 0.5, 2.0,"));
  EXPECT_THAT(header, HasSubstr("{{3, (-1e+02), (-2e+01), nullptr}}"));
  EXPECT_THAT(header, HasSubstr("{{2, (-8e+01), 0.0, nullptr}, {2, 1.0, 2.0, points1}}"));
  EXPECT_THAT(header, HasSubstr("table_value<V>(table_flow<N>(), {"));
  EXPECT_THAT(header, HasSubstr("table_slope<V>(table_flow<N>(), 0, {"));
  EXPECT_THAT(header, HasSubstr("table_slope<V>(table_lag<N>(), 0, {"));
  EXPECT_THAT(header, Not(HasSubstr("table_slope<V>(table_lag<N>(), 1")));
  EXPECT_THAT(header, Not(HasSubstr("level")));
  EXPECT_THAT(header, HasSubstr("0.3"));
}

TEST(GivenTables, ThatAreCalledAndMissingAreKnown) {
  Diagnostics diagnostics;
  const auto reading = reading_with({{"flow", line({0, 1}, 0, 1)}}, diagnostics);
  ASSERT_TRUE(reading.file);
  std::vector<std::string> missing;
  for (const auto& table : reading.file->missing_tables)
    missing.push_back(to_string(table.place) + " " + table.name);
  EXPECT_THAT(missing, ElementsAre("own.mod:6:16 lag", "own.mod:7:16 level"));
}

TEST(GivenTables, MustFitTheFile) {
  Diagnostics diagnostics;
  const auto reading = reading_with(
      {{"flwo", line({0, 1}, 0, 1)}, {"lag", line({0, 1}, 0, 1)}, {"level", {{}, {1}, {}}}},
      diagnostics);
  EXPECT_FALSE(reading.file);
  EXPECT_THAT(texts(diagnostics),
              ElementsAre("model.yaml:4:5: error: own.mod has no FUNCTION_TABLE 'flwo'. Did you "
                          "mean 'flow'?",
                          "model.yaml:4:5: error: FUNCTION_TABLE lag of own.mod has 2 arguments, "
                          "this table 1"));
}

}  // namespace
}  // namespace hillock::mechanisms
