// The GPU solvers of the thomas family against long double. Needs a device: skipped without one,
// failing without one when REQUIRE_GPU=1.

#include <gtest/gtest.h>

#include <cstring>

#include "solver/batches/thomas/device.hpp"
#include "solver/batches/thomas/host.hpp"
#include "tests/solver/batches/gpu/on_device.hpp"
#include "tests/solver/batches/thomas_systems.hpp"

namespace hillock::solver {
namespace {

template <class Real>
class ThomasGpu : public OnDevice {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ThomasGpu, Reals);

const std::vector<ThomasSplit> splits = {{8, 9},   {16, 9},  {32, 3},  {32, 5}, {32, 9},
                                         {32, 13}, {32, 17}, {32, 25}, {32, 33}};

TYPED_TEST(ThomasGpu, SweepAgreesWithLongDoubleInEveryLayout) {
  for (const Problem& problem : problems)
    for (const std::size_t rows : awkward_sizes)
      for (const ThomasLayout layout : layouts) {
        const ThomasArrangement a = arrange(layout, rows, 133, 32);
        const auto before = random_batch<TypeParam>(a, problem);
        auto after = before;
        solve_through_device<TypeParam>(a, ThomasKernel::sweep, {}, after);
        EXPECT_LE(worst_error(a, problem, before, after), 1)
            << name_of(layout) << " rows " << rows << " ratio " << problem.ratio;
      }
}

TYPED_TEST(ThomasGpu, WarpAgreesWithLongDoubleForEverySplit) {
  for (const Problem& problem : problems)
    for (const std::size_t rows : awkward_sizes)
      for (const ThomasSplit split : splits) {
        if (rows > split.most_rows()) continue;
        const ThomasArrangement a = arrange(ThomasLayout::flat, rows, 133);
        const auto before = random_batch<TypeParam>(a, problem);
        auto after = before;
        solve_through_device<TypeParam>(a, ThomasKernel::warp, split, after);
        EXPECT_LE(worst_error(a, problem, before, after), 1)
            << split.lanes << " lanes of " << split.rows_a_lane << ", rows " << rows << " ratio "
            << problem.ratio;
      }
}

TYPED_TEST(ThomasGpu, BatchesOfOneToManyBlocksAgreeAndRepeatBitForBit) {
  const Problem problem{Kind::cable, 10, 11};
  for (const std::size_t systems : {1, 31, 32, 33, 256, 20011})
    for (const std::size_t rows : {31, 64, 128}) {
      const ThomasArrangement a = arrange(ThomasLayout::flat, rows, systems);
      const auto before = random_batch<TypeParam>(a, problem);
      const ThomasSplit split = choose_split(rows, systems);
      auto once = before, again = before;
      solve_through_device<TypeParam>(a, ThomasKernel::warp, split, once);
      solve_through_device<TypeParam>(a, ThomasKernel::warp, split, again);
      EXPECT_LE(worst_error(a, problem, before, once), 1) << systems << " × " << rows;
      EXPECT_EQ(std::memcmp(once.data(), again.data(), once.size() * sizeof(TypeParam)), 0);
    }
}

TYPED_TEST(ThomasGpu, WarpLeavesTheMatrixAlone) {
  const ThomasArrangement a = arrange(ThomasLayout::flat, 128, 500);
  const auto before = random_batch<TypeParam>(a, {Kind::general, 10, 2});
  auto after = before;
  solve_through_device<TypeParam>(a, ThomasKernel::warp, choose_split(128, 500), after);
  EXPECT_EQ(std::memcmp(before.data(), after.data(), 3 * a.field_stride * sizeof(TypeParam)), 0);
}

TYPED_TEST(ThomasGpu, DifferentLengthsAgreeWithLongDoubleInEveryLayout) {
  for (const std::uint32_t most : {40u, 288u, 512u, 1056u}) {
    auto sizes = random_sizes(2999, 1, most, most);
    sizes[0] = most;
    for (const Problem& problem : problems)
      for (const auto layout : {ThomasVariableLayout::padded, ThomasVariableLayout::sorted,
                                ThomasVariableLayout::compact}) {
        const auto a = arrange(layout, sizes);
        const auto before = random_batch<TypeParam>(a, problem);
        auto swept = before;
        solve_through_device<TypeParam>(a, ThomasKernel::sweep, ThomasPadding::skip, swept);
        EXPECT_LE(worst_error(a, problem, before, swept), 1) << name_of(layout);
        if (layout == ThomasVariableLayout::padded) {
          auto computed = before;
          solve_through_device<TypeParam>(a, ThomasKernel::sweep, ThomasPadding::compute, computed);
          EXPECT_LE(worst_error(a, problem, before, computed), 1);
        }
        if (layout == ThomasVariableLayout::compact) {
          auto warps = before, again = before;
          solve_through_device<TypeParam>(a, ThomasKernel::warp, ThomasPadding::skip, warps);
          solve_through_device<TypeParam>(a, ThomasKernel::warp, ThomasPadding::skip, again);
          EXPECT_LE(worst_error(a, problem, before, warps), 1) << "warp, most " << most;
          EXPECT_EQ(std::memcmp(warps.data(), again.data(), warps.size() * sizeof(TypeParam)), 0);
        }
      }
  }
}

TYPED_TEST(ThomasGpu, ConversionsDoWhatTheHostsDo) {
  for (const std::size_t rows : {1, 31, 33, 64})
    for (const ThomasLayout layout : layouts)
      for (const ThomasLayout other : layouts) {
        const ThomasArrangement from = arrange(layout, rows, 77, 16),
                                to = arrange(other, rows, 77, 16);
        auto values = random_batch<TypeParam>(from, {Kind::general, 1, 8});
        for (auto& v : values)
          if (v != v) v = 0;  // NaN compares with nothing
        std::vector<TypeParam> expected;
        convert(from, values, to, expected);
        std::vector<TypeParam> result(to.storage, TypeParam(-99));
        convert_through_device<TypeParam>(from, values, to, result);
        for (std::size_t s = 0; s < 77; ++s)
          for (std::size_t i = 0; i < rows; ++i)
            for (const ThomasField f :
                 {ThomasField::lower, ThomasField::diagonal, ThomasField::upper, ThomasField::rhs})
              ASSERT_EQ(result[to.index(f, i, s)], expected[to.index(f, i, s)])
                  << name_of(layout) << " to " << name_of(other);
      }
  const auto sizes = random_sizes(95, 1, 70, 3);
  const auto compact = arrange(ThomasVariableLayout::compact, sizes);
  const auto values = random_batch<TypeParam>(compact, {Kind::general, 1, 8});
  for (const auto layout : {ThomasVariableLayout::padded, ThomasVariableLayout::sorted}) {
    const auto to = arrange(layout, sizes);
    std::vector<TypeParam> expected, result(to.storage, TypeParam(-99)), back = values;
    convert(compact, values, to, expected);
    convert_through_device<TypeParam>(compact, values, to, result);
    for (std::size_t slot = 0; slot < sizes.size(); ++slot)
      for (std::size_t i = 0; i < to.size[slot]; ++i)
        ASSERT_EQ(result[to.index(ThomasField::rhs, i, slot)],
                  expected[to.index(ThomasField::rhs, i, slot)]);
    for (std::size_t i = 0; i < back.size(); ++i) back[i] = values[i];
    convert_through_device<TypeParam>(to, result, compact, back);
    EXPECT_EQ(back, values);
  }
}

TYPED_TEST(ThomasGpu, WrongShapesAreRefusedByType) {
  const ThomasArrangement interleaved = arrange(ThomasLayout::interleaved, 8, 8);
  EXPECT_THROW(plan_warps<TypeParam>(interleaved, ThomasSplit{}), UsageError);
  const ThomasArrangement flat = arrange(ThomasLayout::flat, 600, 8);
  EXPECT_THROW(plan_warps<TypeParam>(flat, ThomasSplit{32, 17}), UsageError);
  EXPECT_THROW(plan_warps<TypeParam>(flat, ThomasSplit{32, 31}), UsageError);
}

}  // namespace
}  // namespace hillock::solver
