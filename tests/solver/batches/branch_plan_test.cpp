// Branch plans: packing, cutting, re-rooting, layout, and solutions by the host executor.

#include "solver/schedules/branch_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/errors/errors.hpp"
#include "solver/batches/branch/host.hpp"
#include "solver/random_trees.hpp"
#include "tests/solver/tree_reference.hpp"

namespace hillock::solver {
namespace {

std::vector<BranchOptions> variants(int threads) {
  std::vector<BranchOptions> all;
  for (const auto root : {BranchRoot::given, BranchRoot::centre})
    for (const auto cutting :
         {BranchCutting::none, BranchCutting::level_mean, BranchCutting::local})
      for (const bool sink : {false, true}) {
        BranchOptions options;
        options.root = root;
        options.cutting = cutting;
        options.sink_subtrees = sink;
        options.threads = threads;
        all.push_back(options);
      }
  return all;
}

template <class Real>
void expect_within_round_off(const std::vector<std::vector<int>>& trees,
                             const std::vector<int>& tree_of, double ratio,
                             const BranchOptions& options) {
  const BranchPlan plan = make_branch_plan(Forest(trees, tree_of), options);
  std::vector<Real> coupling, diagonal, rhs;
  std::vector<std::vector<long double>> expected;
  for (std::size_t c = 0; c < tree_of.size(); ++c) {
    TreeSystem s = random_system(trees[static_cast<std::size_t>(tree_of[c])], ratio, c);
    for (auto* values : {&s.coupling, &s.diagonal, &s.rhs})
      for (double& v : *values) v = static_cast<Real>(v);
    coupling.insert(coupling.end(), s.coupling.begin(), s.coupling.end());
    diagonal.insert(diagonal.end(), s.diagonal.begin(), s.diagonal.end());
    rhs.insert(rhs.end(), s.rhs.begin(), s.rhs.end());
    expected.push_back(in_long_double(s));
  }
  ASSERT_EQ(plan.value_count(), rhs.size());
  std::vector<Real> again = rhs;
  branch_solve<Real>(plan, coupling, diagonal, rhs);
  branch_solve<Real>(plan, coupling, diagonal, again);
  EXPECT_EQ(rhs, again);
  std::size_t i = 0;
  for (const auto& ref : expected) {
    long double largest = 0, error = 0;
    for (const long double v : ref) {
      largest = std::max(largest, std::fabs(v));
      error = std::max(error, std::fabs(v - static_cast<long double>(rhs[i++])));
    }
    // Round-off: 8·eps·(1 + kappa), kappa the ratio of coupling to the rest of the diagonal.
    EXPECT_LE(error, 8 * static_cast<long double>(std::numeric_limits<Real>::epsilon()) *
                         (1 + ratio) * largest);
  }
}

class BranchAgainstReference : public testing::TestWithParam<std::tuple<int, double, double>> {};

TEST_P(BranchAgainstReference, EveryVariantAgreesWithinRoundOffInDoubleAndFloat) {
  const auto [size, chain, ratio] = GetParam();
  const std::vector<std::vector<int>> trees{attachment_tree(size, chain, 1),
                                            attachment_tree(size, chain, 2), cable_tree(size)};
  for (const auto& options : variants(64)) {
    expect_within_round_off<double>(trees, {0, 1, 2, 1, 0, 0}, ratio, options);
    expect_within_round_off<float>(trees, {0, 1, 2, 1, 0, 0}, ratio, options);
  }
}

INSTANTIATE_TEST_SUITE_P(SizesShapesRatios, BranchAgainstReference,
                         testing::Combine(testing::Values(1, 2, 31, 32, 33, 570),
                                          testing::Values(0.0, 0.9, 1.0),
                                          testing::Values(0.1, 10.0, 1e3, 1e5)));

class BranchesOfLargeTrees : public testing::TestWithParam<double> {};

TEST_P(BranchesOfLargeTrees, AgreeWithinRoundOff) {
  const std::vector<std::vector<int>> trees{attachment_tree(20000, 0.95, 3), star_tree(500, 10),
                                            cable_tree(5000)};
  for (const auto& options : variants(128)) {
    expect_within_round_off<double>(trees, {0, 1, 2}, GetParam(), options);
    expect_within_round_off<float>(trees, {0, 1, 2}, GetParam(), options);
  }
}

INSTANTIATE_TEST_SUITE_P(Ratios, BranchesOfLargeTrees, testing::Values(0.1, 10.0, 1e3, 1e5));

TEST(BranchPlan, LevelsAreInterleavedWithTheLongestBranchFirst) {
  // 0 1 2 | 3 (length 1) and 4 5 6 (length 3) hang on 2.
  const std::vector<std::vector<int>> trees{{-1, 0, 1, 2, 2, 4, 5}};
  const BranchPlan plan = make_branch_plan(Forest(trees, std::vector<int>{0}), {});
  const BranchPattern& p = plan.patterns.at(0);
  EXPECT_EQ(p.level_start, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(p.length, (std::vector<int>{3, 3, 1}));
  EXPECT_EQ(p.slot, (std::vector<int>{0, 1, 2, 4, 3, 5, 7}));
  EXPECT_EQ(p.parent_slot, (std::vector<int>{-1, 2, 2}));
  EXPECT_EQ(p.storage, 9);
  EXPECT_EQ(p.critical_path(), 6);
}

TEST(BranchPlan, CellsArePackedWhileEveryLevelFitsTheThreads) {
  const std::vector<std::vector<int>> trees{star_tree(10, 2)};  // levels of 1 and 10 branches
  BranchOptions options;
  options.threads = 32;
  const BranchPlan plan = make_branch_plan(Forest(trees, std::vector<int>(7, 0)), options);
  EXPECT_EQ(plan.blocks(), 3u);  // 3 + 3 + 1
  EXPECT_EQ(plan.patterns.size(), 2u);
  EXPECT_EQ(plan.value_count(), 7u * 21);
}

TEST(BranchPlan, SinkingSubtreesMakesACellFit) {
  // A path of three levels with 10 leaves on its first branching point, twice: 11 + 11 > 16
  // threads.
  std::vector<int> tree{-1, 0, 1, 1};
  for (int leaf = 0; leaf < 10; ++leaf) tree.push_back(0);
  BranchOptions options;
  options.threads = 16;
  const std::vector<std::vector<int>> trees{tree};
  const std::vector<int> cells{0, 0};
  EXPECT_EQ(make_branch_plan(Forest(trees, cells), options).blocks(), 2u);
  options.sink_subtrees = true;
  EXPECT_EQ(make_branch_plan(Forest(trees, cells), options).blocks(), 1u);
  expect_within_round_off<double>(trees, cells, 10, options);
}

TEST(BranchPlan, TheCentreHalvesACablesPath) {
  const std::vector<std::vector<int>> trees{cable_tree(101)};
  BranchOptions options;
  EXPECT_EQ(
      make_branch_plan(Forest(trees, std::vector<int>{0}), options).patterns[0].critical_path(),
      101);
  options.root = BranchRoot::centre;
  EXPECT_EQ(
      make_branch_plan(Forest(trees, std::vector<int>{0}), options).patterns[0].critical_path(),
      51);
}

TEST(BranchPlan, TheMeansRuleCutsWhatIsLongerThanTheMean) {
  // Lengths 1 and 9 on the second level: mean 5, so 5 + 4.
  std::vector<int> tree{-1, 0, 0, 2, 3, 4, 5, 6, 7, 8, 9};
  BranchOptions options;
  options.cutting = BranchCutting::level_mean;
  const std::vector<std::vector<int>> trees{tree};
  const auto plan = make_branch_plan(Forest(trees, std::vector<int>{0}), options);
  EXPECT_EQ(plan.patterns[0].length, (std::vector<int>{1, 5, 1, 4}));
}

TEST(BranchPlan, LocalCutsNeverLengthenTheEstimatedTime) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::vector<int>> trees{tree_of_depth(570, 119, 10, seed)};
    BranchOptions options;
    const auto time = [&] {
      const auto plan = make_branch_plan(Forest(trees, std::vector<int>{0}), options);
      return plan.patterns[0].critical_path() + options.level_cost * plan.patterns[0].levels();
    };
    const double uncut = time();
    options.cutting = BranchCutting::local;
    EXPECT_LE(time(), uncut);
  }
}

TEST(BranchPlan, EveryPlaceHoldsOneNode) {
  const std::vector<std::vector<int>> trees{attachment_tree(400, 0.8, 1),
                                            attachment_tree(90, 0.5, 2)};
  for (const auto& options : variants(96)) {
    const auto plan = make_branch_plan(Forest(trees, std::vector<int>{0, 1, 1, 0, 1}), options);
    for (const auto& p : plan.patterns) {
      const std::set<int> slots(p.slot.begin(), p.slot.end());
      EXPECT_EQ(slots.size(), p.slot.size());
      EXPECT_LT(*slots.rbegin(), p.storage);
    }
  }
}

}  // namespace
}  // namespace hillock::solver
