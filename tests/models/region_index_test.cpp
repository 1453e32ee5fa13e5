#include "models/region_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace hillock::models {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Entry {
  Region region;
};

Entry entry(std::string name, std::vector<std::string> also = {}) {
  Entry one;
  one.region.name = std::move(name);
  one.region.also = std::move(also);
  return one;
}

std::vector<std::size_t> found_by(const std::vector<Entry>& entries, const std::string& region,
                                  const std::string& name) {
  std::vector<std::size_t> found{99};
  RegionIndex(entries).find(region, name, found);
  return found;
}

TEST(RegionIndex, FindsAllThatHoldABranchInTheirOrder) {
  const std::vector<Entry> entries{entry("dend"), entry("all"), entry("dend[3]"), entry("soma"),
                                   entry("apic", {"dend"})};
  EXPECT_THAT(found_by(entries, "dend", "dend[3]"), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(found_by(entries, "soma", "soma"), ElementsAre(1, 3));
  EXPECT_THAT(found_by({entry("soma")}, "axon", "axon[0]"), IsEmpty());
}

TEST(RegionIndex, SaysWhatEachRegionWouldSay) {
  std::mt19937 random(11);
  const std::vector<std::string> names{"all", "soma", "dend", "apic", "b0", "b1", "b2"};
  const auto some = [&] { return names[random() % names.size()]; };
  for (int round = 0; round < 200; ++round) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < random() % 8; ++i)
      entries.push_back(random() % 3 == 0 ? entry(some(), {some(), some()}) : entry(some()));
    const std::string region = some(), name = some();
    std::vector<std::size_t> want;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].region.has_branch(region, name)) want.push_back(i);
    EXPECT_EQ(found_by(entries, region, name), want) << region << " " << name;
  }
}

}  // namespace
}  // namespace hillock::models
