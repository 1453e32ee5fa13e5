// Every arrangement of a Hines batch, run by the host executor and by the CPU solvers, against
// Hines elimination in long double.

#include <gtest/gtest.h>

#include <bit>

#include "solver/batches/hines_batch/cpu.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"
#include "solver/batches/hines_batch/stack_order.hpp"
#include "solver/batches/hines_batch/stream_tuning.hpp"
#include "solver/cuda/device.hpp"
#include "tests/solver/batches/hines_batch_cases.hpp"

namespace hillock::solver {
namespace {

using namespace hines;

constexpr double kappas[] = {0.1, 10, 1e3, 1e5};

template <class T>
class HinesBatch : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(HinesBatch, Precisions);

template <class T>
std::vector<T> run(const Forest& shape, const HinesArrangement& arrangement,
                   const BatchValues<T>& values) {
  const HinesSchedule schedule = make_hines_schedule(shape, arrangement, sizeof(T));
  auto arranged = arrange(shape, schedule, values);
  solve_on_host(schedule, arranged);
  return gather<T>(shape, schedule, arranged.rhs);
}

TYPED_TEST(HinesBatch, EveryArrangementAgreesWithLongDoubleWithinRoundOff) {
  std::uint64_t seed = 100;
  for (const auto& [name, shape] : all_shapes())
    for (const double kappa : kappas) {
      const auto values = random_values<TypeParam>(shape, kappa, ++seed);
      const auto reference = reference_solution(shape, values);
      for (const auto& arrangement : all_arrangements())
        EXPECT_LE(error_over_bound(shape, run(shape, arrangement, values), reference, kappa), 1)
            << name << ", " << arrangement.name() << ", kappa " << kappa;
    }
}

TYPED_TEST(HinesBatch, CpuSolversAgreeWithLongDoubleAndWithEachOtherToTheBit) {
  std::uint64_t seed = 200;
  for (const auto& [name, shape] : all_shapes())
    for (const double kappa : kappas) {
      const auto values = random_values<TypeParam>(shape, kappa, ++seed);
      auto serial = values, parallel = values;
      solve_serial(shape, serial);
      EXPECT_LE(error_over_bound(shape, serial.rhs, reference_solution(shape, values), kappa), 1)
          << name << ", kappa " << kappa;
      solve_openmp(shape, parallel, 3);
      EXPECT_EQ(serial.rhs, parallel.rhs) << name;
      const HinesSchedule schedule =
          make_hines_schedule(shape, simd_lanes<TypeParam>(), sizeof(TypeParam));
      auto arranged = arrange(shape, schedule, values);
      solve_lanes(schedule, arranged, 2);
      EXPECT_EQ(serial.rhs, gather<TypeParam>(shape, schedule, arranged.rhs)) << name;
    }
}

TYPED_TEST(HinesBatch, EveryArrangementOfTheParentWalkGivesTheSameBits) {
  const auto cases = all_shapes();
  const Forest& shape = cases.back().shape;
  const auto values = random_values<TypeParam>(shape, 10, 7);
  auto serial = values;
  solve_serial(shape, serial);
  for (const auto& arrangement : all_arrangements()) {
    if (arrangement.walk == HinesArrangement::Walk::stream) continue;
    EXPECT_EQ(serial.rhs, run(shape, arrangement, values)) << arrangement.name();
  }
}

TYPED_TEST(HinesBatch, ASystemDoesNotDependOnItsLane) {
  const auto tree = random_morphology(76, 29, 5);
  const auto one = Forest::uniform(tree, 1);
  const auto many = Forest::uniform(tree, 70);
  const auto single = random_values<TypeParam>(one, 10, 9);
  BatchValues<TypeParam> repeated;
  for (int s = 0; s < 70; ++s) {
    repeated.diagonal.insert(repeated.diagonal.end(), single.diagonal.begin(),
                             single.diagonal.end());
    repeated.coupling.insert(repeated.coupling.end(), single.coupling.begin(),
                             single.coupling.end());
    repeated.rhs.insert(repeated.rhs.end(), single.rhs.begin(), single.rhs.end());
  }
  for (const auto& arrangement : all_arrangements()) {
    const auto alone = run(one, arrangement, single);
    const auto together = run(many, arrangement, repeated);
    for (std::size_t i = 0; i < together.size(); ++i)
      ASSERT_EQ(together[i], alone[i % alone.size()]) << arrangement.name();
  }
}

TEST(HinesBatchConversion, GatherUndoesArrange) {
  for (const auto& [name, shape] : all_shapes()) {
    const auto values = random_values<double>(shape, 10, 1);
    for (const auto& arrangement : all_arrangements()) {
      const HinesSchedule schedule = make_hines_schedule(shape, arrangement);
      const auto arranged = arrange(shape, schedule, values);
      EXPECT_EQ(values.rhs, gather<double>(shape, schedule, arranged.rhs)) << name;
    }
  }
}

TEST(HinesBatchConversion, ValuesOfAnotherBatchAreRefused) {
  const auto shape = Forest::uniform(cable_tree(5), 4);
  const auto other = random_values<double>(Forest::uniform(cable_tree(5), 3), 1, 1);
  EXPECT_THROW(arrange(shape, make_hines_schedule(shape, HinesArrangement::flat()), other),
               InvalidBatch);
  auto copy = other;
  EXPECT_THROW(solve_serial(shape, copy), InvalidBatch);
}

TEST(Forest, AWrongTreeIsRefusedWithItsPlace) {
  try {
    Forest({{-1, 0}, {-1, 0, 2}}, {0, 1});
    FAIL() << "accepted";
  } catch (const InvalidTree& error) {
    EXPECT_EQ(error.tree(), 1u);
    EXPECT_EQ(error.node(), 2u);
    EXPECT_STREQ(error.what(),
                 "tree 1, node 2: its parent is 2 (a parent must precede its children)");
  }
  EXPECT_THROW(Forest({{-1}}, {1}), InvalidBatch);
}

TEST(HinesBatchSchedule, AnEmptyBatchIsSolved) {
  const Forest shape = Forest::uniform(cable_tree(5), 0);
  for (const auto& arrangement : all_arrangements())
    EXPECT_TRUE(run<double>(shape, arrangement, {}).empty());
}

TEST(StackOrder, HoldsAtMostTheLogarithmOfTheLeaves) {
  for (const auto& [name, shape] : all_shapes())
    for (std::size_t t = 0; t < shape.n_trees(); ++t) {
      const auto parent = shape.parent(t);
      std::vector<int> children(parent.size(), 0);
      for (std::size_t i = 1; i < parent.size(); ++i)
        ++children[static_cast<std::size_t>(parent[i])];
      const auto leaves = static_cast<unsigned>(std::count(children.begin(), children.end(), 0));
      const int depth = make_stack_order(parent).depth;
      EXPECT_LE(depth, std::bit_width(leaves) - 1) << name;
    }
  EXPECT_EQ(make_stack_order(cable_tree(5000)).depth, 0);
  EXPECT_EQ(make_stack_order(star_tree(500, 3)).depth, 1);
}

TEST(StackOrder, OfAForkIsAsDrawn) {
  //      0 - 1 - 2        2 and 5 hang on 1, 3 and 4 on 2
  const std::vector<int> parent{-1, 0, 1, 2, 2, 1};
  const StackOrder order = make_stack_order(parent);
  EXPECT_EQ(order.node_of_row, (std::vector<int>{0, 1, 5, 2, 3, 4}));
  EXPECT_EQ(order.step, (std::vector<Step>{Step::follows, Step::follows, Step::opens, Step::closes,
                                           Step::opens, Step::closes}));
  EXPECT_EQ(order.depth, 1);
}

TEST(StreamTuning, LetsABatchRunAtOnceWhereItCanAndKeepsAllOfASmallOne) {
  const auto tuning = [](std::size_t cells) {
    const auto schedule = make_hines_schedule(Forest::uniform(cable_tree(76), cells),
                                              HinesArrangement::streamed(), 4);
    const StreamTuning chosen = choose_stream_tuning(schedule, 4, {});
    const double chosen_us = predict_stream_us(schedule, 4, {}, chosen);
    for (int kept = 0; kept <= 5; ++kept)
      EXPECT_LE(chosen_us, 1.01 * predict_stream_us(schedule, 4, {}, {2, kept})) << kept;
    return std::pair(chosen, stream_warps_at_once({}, 4, chosen, schedule.stack_depth));
  };
  EXPECT_EQ(tuning(256).first.kept_chunks, 5);  // all of 76 rows
  for (const std::size_t cells : {256u, 12800u, 25600u})
    EXPECT_GE(132 * tuning(cells).second, static_cast<int>(cells / 32)) << cells;
}

TEST(StreamTuning, FollowsAWishAsFarAsSharedMemoryGoes) {
  const auto schedule =
      make_hines_schedule(Forest::uniform(cable_tree(5000), 64), HinesArrangement::streamed());
  const StreamTuning most = choose_stream_tuning(schedule, 8, {}, {3, 100});
  EXPECT_EQ(most.stages, 3);
  EXPECT_LE(stream_shared_bytes(8, 3, most.kept_chunks, 0), 232448u);
  EXPECT_GT(stream_shared_bytes(8, 3, most.kept_chunks + 1, 0), 232448u);
  const StreamTuning none = choose_stream_tuning(schedule, 8, {}, {4, 0});
  EXPECT_EQ(none.stages, 4);
  EXPECT_EQ(none.kept_chunks, 0);
}

TEST(StreamLayout, KeepsSixteenBytesOfALaneTogetherAndFillsUpQuads) {
  const auto shape = Forest::uniform(cable_tree(5), 33);
  const HinesSchedule floats = make_hines_schedule(shape, HinesArrangement::streamed(), 4);
  EXPECT_EQ(floats.rows(0), 8);
  EXPECT_EQ(floats.at(1, 0), 4u);
  EXPECT_EQ(floats.at(1, 3), 7u);
  EXPECT_EQ(floats.at(1, 4), 132u);
  EXPECT_EQ(floats.at(32, 0), 256u);
  const HinesSchedule doubles = make_hines_schedule(shape, HinesArrangement::streamed(), 8);
  EXPECT_EQ(doubles.at(1, 1), 3u);
  EXPECT_EQ(doubles.at(1, 2), 66u);
}

TEST(RandomMorphology, HasExactlyTheCountsAskedFor) {
  for (const auto& c : morphology_classes)
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto parent = random_morphology(c.compartments, c.branches, seed);
      EXPECT_EQ(static_cast<int>(parent.size()), c.compartments);
      EXPECT_EQ(count_branches(parent), c.branches) << c.name;
      EXPECT_EQ(parent, random_morphology(c.compartments, c.branches, seed));
      Forest::uniform(parent, 1);  // throws when it is no tree
    }
  EXPECT_THROW(random_morphology(10, 2, 0), UsageError);
  EXPECT_THROW(random_morphology(10, 11, 0), UsageError);
}

TEST(BlockShared, BecomesNarrowerAndThenGivesUpSharedMemory) {
  const auto width = [](int n) {
    return make_hines_schedule(Forest::uniform(cable_tree(n), 40),
                               HinesArrangement::block_shared(32))
        .arrangement;
  };
  EXPECT_EQ(width(76).width, 32);
  EXPECT_EQ(width(2000).width, 8);
  EXPECT_EQ(width(20000).width, 1);
  EXPECT_EQ(width(20000).walk, HinesArrangement::Walk::parents_shared_rhs);
  EXPECT_EQ(width(40000).walk, HinesArrangement::Walk::parents);
}

TEST(SplitSystems, BalancesCompartmentsNotSystems) {
  std::vector<int> tree_of_system(10, 0);
  tree_of_system[0] = 1;
  const Forest shape({cable_tree(1), cable_tree(9)}, tree_of_system);
  EXPECT_EQ(split_systems(shape, 2), (std::vector<std::size_t>{0, 1, 10}));
  EXPECT_EQ(split_systems(shape, 1), (std::vector<std::size_t>{0, 10}));
}

TEST(HinesBatchOnAGpu, IsRefusedInWordsWhereThereIsNone) {
  if (device_count() > 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_THROW(hines_on_device<double>(Forest::uniform(cable_tree(5), 3)), DeviceError);
}

}  // namespace
}  // namespace hillock::solver
