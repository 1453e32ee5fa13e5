// What judges the figures of hillock-bench must be able to say no.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

#include "bench/drawn_cells.hpp"
#include "bench/reference.hpp"
#include "bench/session.hpp"
#include "bench/text_table.hpp"
#include "core/errors/errors.hpp"
#include "solver/hines.hpp"

namespace hillock::bench {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

DrawnCells some_cells() {
  return DrawnCells({solver::tree_of_depth(60, 12, 5, 1), solver::tree_of_depth(40, 9, 4, 2)});
}

std::vector<double> solved(const DrawnCells& cells) {
  std::vector<double> diagonal = cells.diagonal, x = cells.rhs;
  std::size_t first = 0;
  for (std::size_t c = 0; c < cells.trees.size(); ++c) {
    solver::hines_solve<double>({cells.trees[c], cells.couplings[c]}, diagonal.data() + first,
                                x.data() + first);
    first += cells.trees[c].size();
  }
  return x;
}

TEST(Judging, HinesEliminationIsWithinTheBound) {
  const DrawnCells cells = some_cells();
  const auto x = solved(cells);
  EXPECT_GT(cells.error(x.data(), x.size(), 1), 0);
  EXPECT_LT(cells.error(x.data(), x.size(), 1), 1);
}

TEST(Judging, AnErrorInOneCompartmentOfTheLastCellIsSeen) {
  const DrawnCells cells = some_cells();
  auto x = solved(cells);
  x.back() += 1e-12;
  EXPECT_GT(cells.error(x.data(), x.size(), 1), 1);
}

TEST(Judging, ValuesThatAreNotNumbersAreNotForgotten) {
  const DrawnCells cells = some_cells();
  auto x = solved(cells);
  x[3] = nan;
  EXPECT_TRUE(std::isnan(cells.error(x.data(), x.size(), 1)));
  EXPECT_TRUE(std::isnan(worse(nan, 0.5)));
  EXPECT_TRUE(std::isnan(worse(0.5, nan)));
  EXPECT_EQ(worse(0.5, 0.25), 0.5);
  EXPECT_EQ(worse(0.25, 0.5), 0.5);
}

TEST(Judging, ThomasReferenceSolvesByHand) {
  // 2x0 - x1 = 3, -x0 + 2x1 = 0: x = 2, 1.
  const double lower[] = {nan, -1}, diagonal[] = {2, 2}, upper[] = {-1, nan}, rhs[] = {3, 0};
  const auto x = tridiagonal_reference(2, lower, diagonal, upper, rhs);
  EXPECT_NEAR(static_cast<double>(x[0]), 2, 1e-15);  // round-off
  EXPECT_NEAR(static_cast<double>(x[1]), 1, 1e-15);
}

TEST(Session, AWrongVariantIsRemembered) {
  Session session({}, {});
  session.judge("right", 0.9);
  EXPECT_TRUE(session.all_right());
  session.judge("wrong", 1.1);
  EXPECT_FALSE(session.all_right());
  Session other({}, {});
  other.judge("not a number", nan);
  EXPECT_FALSE(other.all_right());
}

TEST(Session, AFileThatCannotBeWrittenIsAnInputOutputError) {
  Options options;
  options.json = "/no/such/folder/rows.json";
  EXPECT_THROW(Session(options, {}), InputOutputError);
}

TEST(Row, QuotesTextAndWritesNullForWhatIsNoNumber) {
  Row row;
  row.text("a\"b", "c\\d\n").number("n", 256000).number("x", 0.125).number("none", nan);
  EXPECT_EQ(row.json(), "{\"a\\\"b\": \"c\\\\d \", \"n\": 256000, \"x\": 0.125, \"none\": null}");
}

TEST(TextTable, FiguresHaveFourDigits) {
  EXPECT_EQ(figure(0.053219), "0.05322");
  EXPECT_EQ(figure(12.344), "12.34");
  EXPECT_EQ(figure(56789.4), "56789");
  EXPECT_EQ(figure(nan), "-");
  EXPECT_EQ(times(2.048), "2.05x");
  EXPECT_EQ(times(nan), "-");
  EXPECT_EQ(percent(0.934), "93 %");
}

}  // namespace
}  // namespace hillock::bench
