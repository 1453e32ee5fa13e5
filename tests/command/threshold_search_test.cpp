#include "simulator/session/threshold_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/errors/errors.hpp"

namespace hillock::session {
namespace {

/// Cells of which each is reached from one number on, and no more from another one on.
struct Cells {
  std::vector<double> from, until;

  std::vector<bool> are_reached(const std::vector<double>& tried) const {
    std::vector<bool> all;
    for (std::size_t at = 0; at < tried.size(); ++at) {
      const std::size_t cell = at % from.size();
      all.push_back(tried[at] >= from[cell] && tried[at] < until[cell]);
    }
    return all;
  }
};

std::vector<double> found(const Cells& cells, const ThresholdSearch::Bounds& bounds,
                          int* runs = nullptr, std::size_t tries = 1) {
  ThresholdSearch search(cells.from.size(), bounds);
  while (const auto tried = search.next(tries)) {
    search.tell(cells.are_reached(*tried));
    if (runs) ++*runs;
  }
  return search.found();
}

constexpr double never = std::numeric_limits<double>::infinity();

TEST(ThresholdSearch, FindsEachCellsLeastToTheTolerance) {
  const Cells cells{{0.3, 1e-4, 0.9999, 0.002}, {never, never, never, never}};
  int runs = 0;
  const std::vector<double> least = found(cells, {.tolerance = 1e-3}, &runs);
  for (std::size_t cell = 0; cell < least.size(); ++cell) {
    EXPECT_GE(least[cell], cells.from[cell]);
    EXPECT_LT(least[cell], cells.from[cell] * 1.001);
  }
  EXPECT_LT(runs, 30);
}

TEST(ThresholdSearch, BeginsBelowWhatBlocks) {
  EXPECT_THAT(found({{0.01}, {0.05}}, {}),
              testing::ElementsAre(testing::AllOf(testing::Ge(0.01), testing::Lt(0.0101))));
}

TEST(ThresholdSearch, SaysWhereNothingAndWhereAnythingIsEnough) {
  const std::vector<double> least = found({{2, 0.1, 1}, {never, never, never}}, {.low = 0.2});
  EXPECT_TRUE(std::isnan(least[0]));
  EXPECT_EQ(least[1], 0.2);
  EXPECT_EQ(least[2], 1);
}

TEST(ThresholdSearch, FindsTheSameOfSeveralTriesAtOnceInFewerRounds) {
  Cells cells;
  for (int cell = 0; cell < 200; ++cell) {
    cells.from.push_back(1e-4 * std::pow(1.05, cell));  // up to 1.6, more than there is
    cells.until.push_back(cell % 3 == 0 ? 1.7 * cells.from.back() : never);
  }
  for (const double low : {0.0, 3e-4}) {
    const ThresholdSearch::Bounds bounds{.low = low, .tolerance = 1e-3};
    int runs = 0;
    const std::vector<double> one = found(cells, bounds, &runs);
    for (const std::size_t tries : {2, 3, 7, 15}) {
      int rounds = 0;
      EXPECT_THAT(found(cells, bounds, &rounds, tries),
                  testing::Pointwise(testing::NanSensitiveDoubleEq(), one));
      EXPECT_LT(rounds, runs);
      runs = rounds;
    }
  }
}

TEST(ThresholdSearch, GoesOnWhenOnlyTheFirstOfSeveralTriesIsTold) {
  const Cells cells{{0.3, 0.002}, {never, never}};
  ThresholdSearch search(2, {});
  while (const auto tried = search.next(3)) {
    std::vector<bool> are_reached = cells.are_reached(*tried);
    are_reached.resize(2);
    search.tell(are_reached);
  }
  EXPECT_EQ(search.found(), found(cells, {}));
}

TEST(ThresholdSearch, RefusesBoundsThatAreNone) {
  using Bounds = ThresholdSearch::Bounds;
  for (const Bounds& bounds : {Bounds{1, 1}, Bounds{-1, 1}, Bounds{0, never},
                               Bounds{0, std::nan("")}, Bounds{0, 1, 0}, Bounds{0, 1, 1}})
    EXPECT_THROW(ThresholdSearch(1, bounds), UsageError);
}

}  // namespace
}  // namespace hillock::session
