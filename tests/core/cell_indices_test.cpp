#include "core/containers/cell_indices.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace hillock {
namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers all_of(const CellIndices& indices) {
  Numbers all;
  for (std::size_t i = 0; i < indices.size(); ++i) all.push_back(indices[i]);
  return all;
}

/// Every index is found at its place, and no other number is.
void expect_found(const CellIndices& indices, const Numbers& expected) {
  EXPECT_EQ(all_of(indices), expected);
  for (std::uint64_t number = 0; number < 60; ++number) {
    std::size_t place = CellIndices::nowhere;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (expected[i] == number) place = i;
    EXPECT_EQ(indices.find(number), place) << number;
  }
}

TEST(CellIndices, FindWhatIsEquallyFarApart) {
  expect_found(CellIndices(10, 5, 4), {10, 15, 20, 25});
  expect_found(CellIndices(7, 3, 1), {7});
  expect_found(CellIndices(7, 3, 0), {});
  expect_found(CellIndices(Numbers{12, 24, 36}), {12, 24, 36});
  EXPECT_EQ(CellIndices(10, 5, 4).stride(), 5u);
}

TEST(CellIndices, FindWhatIsNot) {
  const CellIndices rising(Numbers{3, 6, 10, 11, 40});
  expect_found(rising, {3, 6, 10, 11, 40});
  EXPECT_EQ(rising.stride(), 0u);
  EXPECT_TRUE(rising.are_rising());
}

TEST(CellIndices, MayFallOrRepeat) {
  const CellIndices falling(Numbers{9, 4, 5}), repeating(Numbers{1, 2, 2});
  EXPECT_EQ(all_of(falling), (Numbers{9, 4, 5}));
  EXPECT_FALSE(falling.are_rising());
  EXPECT_FALSE(repeating.are_rising());
}

}  // namespace
}  // namespace hillock
