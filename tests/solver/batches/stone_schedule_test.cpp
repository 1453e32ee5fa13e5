// NeuroGPU's segment and branch methods, run by the host executor, against Hines elimination in
// long double.

#include <gtest/gtest.h>

#include "solver/batches/stone/stone_device.hpp"
#include "solver/cuda/device.hpp"
#include "tests/solver/batches/stone_cases.hpp"

namespace hillock::solver {
namespace {

constexpr double stone_kappas[] = {0.1, 10, 1e3, 1e5};
constexpr BackSubstitution both[] = {BackSubstitution::segment, BackSubstitution::branch};

template <class T>
class Stone : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Stone, Precisions);

TYPED_TEST(Stone, BothMethodsAgreeWithLongDoubleWithinRoundOff) {
  std::uint64_t seed = 300;
  for (const auto& tree : all_trees()) {
    const StoneSchedule schedule = make_stone_schedule(tree.parent);
    for (const double kappa : stone_kappas) {
      const auto c = make_case<TypeParam>(tree.parent, tree.size, kappa, ++seed);
      const auto reference = reference_solution(c.shape, c.values);
      const auto rows = arrange(c.shape, schedule, c.values, tree.size.traces);
      for (const auto back : both) {
        const auto x = gather<TypeParam>(c.shape, schedule, solve_on_host(schedule, back, rows));
        EXPECT_LE(error_over_bound(c.shape, x, reference, kappa), 1)
            << tree.name << (back == BackSubstitution::segment ? " segment" : " branch")
            << ", kappa " << kappa;
      }
    }
  }
}

TYPED_TEST(Stone, AnyTeamGivesTheSameBits) {
  for (const auto& tree : all_trees()) {
    const StoneSchedule schedule = make_stone_schedule(tree.parent);
    const auto c = make_case<TypeParam>(tree.parent, {1, 2}, 10, 17);
    const auto rows = arrange(c.shape, schedule, c.values, 2);
    const auto warp = solve_on_host(schedule, BackSubstitution::segment, rows, 32);
    EXPECT_EQ(warp, solve_on_host(schedule, BackSubstitution::segment, rows, 256));
    EXPECT_EQ(warp, solve_on_host(schedule, BackSubstitution::segment, rows, 1));
  }
}

TEST(StoneSchedule, OfAForkIsAsDrawn) {
  //  0 - 1 - 2 - 3      4 hangs on 1, 5 on 4
  const StoneSchedule s = make_stone_schedule(std::vector<int>{-1, 0, 1, 2, 1, 4});
  EXPECT_EQ(s.node_of_row, (std::vector<int>{0, 1, 2, 4, 3, 5}));
  EXPECT_EQ(s.parent_of_row, (std::vector<int>{-1, 0, 1, 1, 2, 3}));
  EXPECT_EQ(s.level_first, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(s.branch_rows, (std::vector<int>{0, 1, 2, 4, 3, 5}));
  EXPECT_EQ(s.child_first, (std::vector<int>{1, 3, 3, 3}));
  ASSERT_EQ(s.rounds, 2);
  EXPECT_EQ(s.active_first, (std::vector<int>{1, 2}));
  EXPECT_EQ(s.ancestor, (std::vector<int>{0, 1, 1, 2, 3, /* two up */ 0, 0, 1, 1}));
}

TEST(StoneSchedule, RoundsAreTheLogarithmOfTheDepth) {
  EXPECT_EQ(make_stone_schedule(cable_tree(1)).rounds, 0);
  EXPECT_EQ(make_stone_schedule(cable_tree(2)).rounds, 1);
  EXPECT_EQ(make_stone_schedule(cable_tree(5000)).rounds, 13);
  EXPECT_EQ(make_stone_schedule(make_binary_tree(10)).rounds, 4);
  EXPECT_EQ(make_stone_schedule(make_binary_tree(10)).n, 1024);
  EXPECT_EQ(make_stone_schedule(make_fork(320)).n, 320);
  EXPECT_EQ(make_stone_schedule(make_fork(320)).n_branches(), 3);
}

TEST(StoneSchedule, WrongInputIsRefused) {
  EXPECT_THROW(make_stone_schedule(std::vector<int>{-1, 2, 1}), InvalidTree);
  EXPECT_THROW(make_stone_schedule(std::vector<int>{}), InvalidTree);
  EXPECT_THROW(make_fork(2), UsageError);
  const StoneSchedule s = make_stone_schedule(make_fork(3));
  const Forest two = Forest::uniform(make_fork(3), 2);
  const BatchValues<double> one{{1, 1, 1}, {0, 1, 1}, {1, 1, 1}};
  EXPECT_THROW(arrange(two, s, one, 2), InvalidBatch);
  const auto values = random_values<double>(two, 1, 1);
  EXPECT_THROW(arrange(two, s, values, 3), InvalidBatch);
  EXPECT_THROW(arrange(two, make_stone_schedule(make_fork(4)), values, 2), InvalidBatch);
  EXPECT_THROW(check_traces(Forest({make_fork(3), make_fork(4)}, {0, 1}), 1), InvalidBatch);
}

TEST(StoneOnAGpu, IsRefusedInWordsWhereThereIsNone) {
  if (device_count() > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(stone_on_device<double>(Forest::uniform(make_fork(3), 1)), DeviceError);
}

}  // namespace
}  // namespace hillock::solver
