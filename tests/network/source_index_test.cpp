// Which entries belong to which source, where all sources are listed and where only some are.

#include "network/source_index.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace hillock::network {
namespace {

using Bounds = std::pair<std::uint32_t, std::uint32_t>;

Bounds bounds(const SourceIndex& index, std::uint64_t source) {
  const Entries entries = index.of(source);
  return {entries.begin, entries.end};
}

std::vector<std::uint64_t> sources_of(const SourceIndex& index) {
  std::vector<std::uint64_t> sources;
  index.each_source([&](std::uint64_t source) { sources.push_back(source); });
  return sources;
}

TEST(SourceIndex, WithoutSourcesHasNone) {
  const SourceIndex index;
  EXPECT_EQ(bounds(index, 0), Bounds(0, 0));
  EXPECT_TRUE(sources_of(index).empty());
}

TEST(SourceIndex, OfAllSourcesFindsTheEntriesOfEach) {
  const SourceIndex index({0, 2, 2, 5});
  EXPECT_EQ(bounds(index, 0), Bounds(0, 2));
  EXPECT_EQ(bounds(index, 1), Bounds(2, 2));
  EXPECT_EQ(bounds(index, 2), Bounds(2, 5));
  EXPECT_EQ(bounds(index, 3), Bounds(0, 0));
  EXPECT_EQ(bounds(index, 1ull << 40), Bounds(0, 0));
  EXPECT_EQ(sources_of(index), (std::vector<std::uint64_t>{0, 2}));
}

TEST(SourceIndex, OfFewSourcesFindsTheirEntriesAndNoneOfOthers) {
  const SourceIndex index({7, 900, 40000}, {0, 1, 4, 9});
  EXPECT_EQ(bounds(index, 7), Bounds(0, 1));
  EXPECT_EQ(bounds(index, 900), Bounds(1, 4));
  EXPECT_EQ(bounds(index, 40000), Bounds(4, 9));
  for (const std::uint64_t none : {0ull, 8ull, 50000ull, (1ull << 32) + 7})
    EXPECT_EQ(bounds(index, none).first, bounds(index, none).second);
  EXPECT_EQ(sources_of(index), (std::vector<std::uint64_t>{7, 900, 40000}));
}

TEST(SourceIndex, ListsAllSourcesHoweverFewThereAre) {
  using Dense = std::vector<std::uint32_t>;
  EXPECT_EQ(SourceIndex({0, 2, 2, 5}).dense(3), (Dense{0, 2, 2, 5}));
  EXPECT_EQ(SourceIndex({1, 3}, {0, 2, 5}).dense(6), (Dense{0, 0, 2, 2, 5, 5, 5}));
  EXPECT_EQ(SourceIndex().dense(2), (Dense{0, 0, 0}));
}

TEST(SourceIndex, Takes4BytesASourceOr8ASourceThatIsThere) {
  EXPECT_EQ(SourceIndex({0, 2, 2, 5}).bytes(), 16u);
  EXPECT_EQ(SourceIndex({7, 900}, {0, 1, 4}).bytes(), 20u);
}

}  // namespace
}  // namespace hillock::network
