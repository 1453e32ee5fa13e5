// The CPU solvers of the thomas family, and the GPU's schedule run on the host, against long
// double.

#include <gtest/gtest.h>

#include "solver/batches/thomas/cables.hpp"
#include "solver/batches/thomas/device.hpp"
#include "solver/batches/thomas/host.hpp"
#include "tests/solver/batches/hines_batch_cases.hpp"
#include "tests/solver/batches/thomas_systems.hpp"

namespace hillock::solver {
namespace {

template <class Real>
class Thomas : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Thomas, Reals);

TYPED_TEST(Thomas, SerialAgreesWithLongDoubleInEveryLayout) {
  for (const Problem& problem : problems)
    for (const std::size_t rows : awkward_sizes)
      for (const ThomasLayout layout : layouts) {
        const ThomasArrangement a = arrange(layout, rows, 5, 4);
        const auto before = random_batch<TypeParam>(a, problem);
        auto after = before;
        solve_serial<TypeParam>(a, after);
        EXPECT_LE(worst_error(a, problem, before, after), 1)
            << name_of(layout) << " rows " << rows << " ratio " << problem.ratio;
      }
}

TYPED_TEST(Thomas, OpenMpAndSimdAreBitIdenticalToSerial) {
  for (const std::size_t rows : {1, 33, 64})
    for (const std::size_t systems : {1, 7, 8, 61})
      for (const ThomasLayout layout : layouts)
        for (const int threads : {1, 3}) {
          const ThomasArrangement a = arrange(layout, rows, systems, 32);
          const auto before = random_batch<TypeParam>(a, {Kind::cable, 10, rows});
          auto serial = before, openmp = before, simd = before;
          solve_serial<TypeParam>(a, serial);
          solve_openmp<TypeParam>(a, openmp, threads);
          solve_simd<TypeParam>(a, simd, threads);
          for (std::size_t s = 0; s < systems; ++s)
            for (std::size_t i = 0; i < rows; ++i) {
              const std::size_t at = a.index(ThomasField::rhs, i, s);
              ASSERT_EQ(serial[at], openmp[at]) << name_of(layout);
              ASSERT_EQ(serial[at], simd[at]) << name_of(layout);
            }
        }
}

TYPED_TEST(Thomas, HostRunOfTheWarpScheduleAgreesWithLongDouble) {
  for (const Problem& problem : problems)
    for (const std::size_t rows : awkward_sizes)
      for (const ThomasSplit split :
           {ThomasSplit{8, 9}, ThomasSplit{16, 9}, ThomasSplit{32, 3}, ThomasSplit{32, 5},
            ThomasSplit{32, 9}, ThomasSplit{32, 13}, ThomasSplit{32, 17}, ThomasSplit{32, 25},
            ThomasSplit{32, 33}}) {
        if (rows > split.most_rows()) continue;
        const ThomasArrangement a = arrange(ThomasLayout::flat, rows, 3);
        const auto before = random_batch<TypeParam>(a, problem);
        auto after = before;
        solve_split<TypeParam>(a, split, after);
        EXPECT_LE(worst_error(a, problem, before, after), 1)
            << split.lanes << " lanes of " << split.rows_a_lane << ", rows " << rows << " ratio "
            << problem.ratio;
      }
}

TYPED_TEST(Thomas, DifferentLengthsAgreeWithLongDoubleInEveryLayout) {
  auto sizes = random_sizes(60, 1, 600, 5);
  sizes[3] = 1;
  sizes[40] = 1056;
  for (const Problem& problem : problems)
    for (const auto layout : {ThomasVariableLayout::padded, ThomasVariableLayout::sorted,
                              ThomasVariableLayout::compact}) {
      const auto a = arrange(layout, sizes);
      const auto before = random_batch<TypeParam>(a, problem);
      auto serial = before, openmp = before, split = before;
      solve_serial<TypeParam>(a, serial);
      solve_openmp<TypeParam>(a, openmp, 3);
      EXPECT_LE(worst_error(a, problem, before, serial), 1) << name_of(layout);
      EXPECT_EQ(serial, openmp);
      if (layout != ThomasVariableLayout::compact) continue;
      solve_split<TypeParam>(a, split);
      EXPECT_LE(worst_error(a, problem, before, split), 1) << name_of(layout);
    }
}

TEST(ThomasErrors, AWrongBufferLayoutOrLengthIsRefusedByType) {
  const ThomasArrangement a = arrange(ThomasLayout::interleaved, 4, 4);
  std::vector<double> small(3), right(a.storage, 1.0);
  EXPECT_THROW(solve_serial<double>(a, small), InvalidBatch);
  EXPECT_THROW(solve_split<double>(a, ThomasSplit{}, right), UsageError);
  const ThomasArrangement flat = arrange(ThomasLayout::flat, 100, 1);
  std::vector<double> values(flat.storage, 1.0);
  EXPECT_THROW(solve_split<double>(flat, ThomasSplit{32, 3}, values), UsageError);
}

TEST(ThomasErrors, WithoutADeviceTheGpuIsRefusedByType) {
  if (device_count() > 0) GTEST_SKIP() << "there is a device: " << describe_device();
  const ThomasArrangement a = arrange(ThomasLayout::flat, 4, 4);
  std::vector<double> values(a.storage, 1.0);
  EXPECT_THROW(solve_through_device<double>(a, ThomasKernel::sweep, {}, values), DeviceError);
}

TYPED_TEST(Thomas, AForestOfCablesIsABatchOfTridiagonalSystems) {
  const Forest forest({cable_tree(70), cable_tree(1), cable_tree(33)}, {0, 1, 2, 2, 0, 1, 0});
  const auto values = random_values<TypeParam>(forest, 10, 3);
  const auto reference = reference_solution(forest, values);
  for (const auto layout : {ThomasVariableLayout::padded, ThomasVariableLayout::sorted,
                            ThomasVariableLayout::compact}) {
    const auto arrangement = arrange(forest, layout);
    std::vector<TypeParam> rows = arrange(forest, arrangement, values);
    solve_serial<TypeParam>(arrangement, rows);
    const auto x = gather<TypeParam>(forest, arrangement, rows);
    EXPECT_LE(error_over_bound(forest, x, reference, 10), 1) << name_of(layout);
  }
}

TEST(ThomasCables, BranchedTreesAreRefused) {
  try {
    arrange(Forest({cable_tree(3), star_tree(2, 2)}, {0, 1}), ThomasVariableLayout::compact);
    FAIL() << "accepted";
  } catch (const InvalidBatch& error) {
    EXPECT_STREQ(error.what(),
                 "batch of 2 systems, 8 compartments in all: tree 1 is branched at node 0");
  }
}

}  // namespace
}  // namespace hillock::solver
