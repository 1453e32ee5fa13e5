// Where the layouts of the thomas family put numbers, and conversions between them.

#include <gtest/gtest.h>

#include <set>

#include "solver/batches/thomas/choice.hpp"
#include "tests/solver/batches/thomas_systems.hpp"

namespace hillock::solver {
namespace {

TEST(ThomasLayout, OrdersAreThePapers) {
  // 4 systems of 3 rows, as in the figures of Martínez 2018.
  const ThomasArrangement flat = arrange(ThomasLayout::flat, 3, 4);
  EXPECT_EQ(flat.index(ThomasField::lower, 1, 2), 2 * 3 + 1u);
  const ThomasArrangement interleaved = arrange(ThomasLayout::interleaved, 3, 4);
  EXPECT_EQ(interleaved.index(ThomasField::lower, 1, 2), 1 * 4 + 2u);
  const ThomasArrangement unified = arrange(ThomasLayout::unified_vector, 3, 4);
  EXPECT_EQ(unified.index(ThomasField::lower, 1, 2), 1 * 16 + 2u);
  EXPECT_EQ(unified.index(ThomasField::rhs, 1, 2), 1 * 16 + 3 * 4 + 2u);
  const ThomasArrangement blocks = arrange(ThomasLayout::block_interleaved, 3, 4, 2);
  EXPECT_EQ(blocks.index(ThomasField::lower, 1, 2), 2 * 3 + 1 * 2u);
  EXPECT_EQ(blocks.index(ThomasField::lower, 1, 3), 2 * 3 + 1 * 2 + 1u);
}

TEST(ThomasLayout, EveryNumberHasAPlaceOfItsOwn) {
  for (const ThomasLayout layout : layouts)
    for (const std::size_t rows : {1, 5, 33})
      for (const std::size_t systems : {1, 7, 33}) {
        const ThomasArrangement a = arrange(layout, rows, systems, 8);
        std::set<std::size_t> places;
        for (std::size_t s = 0; s < systems; ++s)
          for (std::size_t i = 0; i < rows; ++i)
            for (const ThomasField f :
                 {ThomasField::lower, ThomasField::diagonal, ThomasField::upper, ThomasField::rhs})
              places.insert(a.index(f, i, s));
        EXPECT_EQ(places.size(), 4 * rows * systems) << name_of(layout);
        EXPECT_LT(*places.rbegin(), a.storage) << name_of(layout);
      }
}

TEST(ThomasLayout, ConversionThereAndBackKeepsEveryNumber) {
  const ThomasArrangement flat = arrange(ThomasLayout::flat, 33, 45);
  const auto values = random_batch<double>(flat, {Kind::cable, 1, 3});
  for (const ThomasLayout layout : layouts) {
    const ThomasArrangement other = arrange(layout, 33, 45, 16);
    std::vector<double> there, back;
    convert(flat, values, other, there);
    convert(other, there, flat, back);
    for (std::size_t s = 0; s < 45; ++s)
      for (std::size_t i = 0; i < 33; ++i)
        EXPECT_EQ(back[flat.index(ThomasField::rhs, i, s)],
                  values[flat.index(ThomasField::rhs, i, s)])
            << name_of(layout);
  }
}

TEST(ThomasLayout, VariableConversionThereAndBackKeepsEveryNumber) {
  const auto sizes = random_sizes(70, 1, 50, 9);
  const auto compact = arrange(ThomasVariableLayout::compact, sizes);
  const auto values = random_batch<float>(compact, {Kind::general, 1, 3});
  for (const auto layout : {ThomasVariableLayout::padded, ThomasVariableLayout::sorted}) {
    const auto other = arrange(layout, sizes);
    std::vector<float> there, back;
    convert(compact, values, other, there);
    convert(other, there, compact, back);
    for (std::size_t slot = 0; slot < sizes.size(); ++slot)
      for (std::size_t i = 0; i < compact.size[slot]; ++i)
        EXPECT_EQ(back[compact.index(ThomasField::rhs, i, slot)],
                  values[compact.index(ThomasField::rhs, i, slot)])
            << name_of(layout);
  }
}

TEST(ThomasLayout, SortingWastesLessThanPadding) {
  const auto sizes = random_sizes(2560, 256, 512, 4);
  const auto padded = arrange(ThomasVariableLayout::padded, sizes);
  const auto sorted = arrange(ThomasVariableLayout::sorted, sizes);
  const auto compact = arrange(ThomasVariableLayout::compact, sizes);
  EXPECT_LT(sorted.storage, padded.storage * 8 / 10);
  EXPECT_LT(static_cast<double>(sorted.storage),
            1.02 * 4 * static_cast<double>(sorted.rows_in_all));
  EXPECT_LT(static_cast<double>(compact.storage),
            1.01 * 4 * static_cast<double>(compact.rows_in_all));
  for (const auto start : compact.start) EXPECT_EQ(start % 4, 0u);  // borders of bulk copies
}

TEST(ThomasLayout, NothingToSolveIsRefusedByType) {
  EXPECT_THROW(arrange(ThomasLayout::flat, 0, 3), InvalidBatch);
  EXPECT_THROW(arrange(ThomasLayout::block_interleaved, 3, 3, 0), UsageError);
  EXPECT_THROW(arrange(ThomasVariableLayout::sorted, std::vector<std::uint32_t>{3, 0}),
               InvalidBatch);
  try {
    arrange(ThomasLayout::flat, 4, 0);
    FAIL();
  } catch (const InvalidBatch& e) {
    EXPECT_EQ(e.compartments(), 0u);
    EXPECT_EQ(e.systems(), 0u);
    EXPECT_STREQ(e.what(), "batch of 0 systems, 0 compartments in all: nothing to solve");
  }
}

TEST(ThomasChoice, HoldsEveryRowAndSaysWhy) {
  for (std::size_t rows = 1; rows <= 1200; ++rows)
    for (const std::size_t systems : {1, 256, 256000}) {
      const ThomasChoice choice = choose_thomas(rows, systems, 8);
      EXPECT_FALSE(choice.reason.empty());
      EXPECT_EQ(choice.kernel == ThomasKernel::warp, rows <= longest_thomas_split);
      if (choice.kernel == ThomasKernel::warp) {
        EXPECT_GE(choice.split.most_rows(), rows);
      }
    }
  EXPECT_THROW(choose_split(longest_thomas_split + 1, 1), UsageError);
}

TEST(ThomasBytes, AreCountedByTheStatedFormula) {
  EXPECT_EQ(necessary_bytes(512, 8), 5 * 512 * 8u);
  EXPECT_EQ(two_sweep_bytes(512, 4), 9 * 512 * 4u);
}

}  // namespace
}  // namespace hillock::solver
