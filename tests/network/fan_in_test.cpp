// Connections onto a range found by their source, whether these are many or few of all.

#include "network/fan_in.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/random/random.hpp"

namespace hillock::network {
namespace {

TEST(FanIn, HasTheEntriesOfASourceInTheirOrderHoweverManySourcesThereAre) {
  for (const std::size_t number : {0u, 1u, 40u, 5000u})
    for (const bool alike : {true, false})
      for (const std::uint64_t sources : {700u, 9999u, 10001u, 3000000u}) {
        FanInDraft draft;
        std::vector<std::vector<std::uint32_t>> expected(700);
        RandomStream draws(4, Purpose::stimulus, {});
        for (std::uint32_t i = 0; i < number; ++i) {
          const auto source = static_cast<std::uint32_t>(draws.below(700));
          draft.add(source, {i, alike ? FanIn::no_slot : i + 7, alike ? 1 : 0.5 * i, 2.0});
          expected[source].push_back(i);
        }
        const FanIn table = draft.sorted(sources);
        ASSERT_EQ(table.size(), number);
        for (std::uint64_t source = 0; source < 700; ++source) {
          const FanIn::Entries entries = table.of(source);
          ASSERT_EQ(entries.end - entries.begin, expected[source].size());
          for (std::uint32_t e = entries.begin; e < entries.end; ++e) {
            const std::uint32_t i = expected[source][e - entries.begin];
            ASSERT_EQ(table[e].instance, i);
            ASSERT_EQ(table[e].slot, alike ? FanIn::no_slot : i + 7);
            ASSERT_EQ(table[e].weight, alike ? 1 : 0.5 * i);
            ASSERT_EQ(table[e].delay_ms, 2.0);
          }
        }
        const FanIn::Entries last = table.of(sources - 1);
        if (sources > 700) {
          ASSERT_EQ(last.begin, last.end);
        }
      }
}

/// As long as it takes less, an instance is noted once for all entries that follow one another.
TEST(InstanceDraft, GivesBackWhatWasAddedInRunsOrNot) {
  for (const std::size_t most : {1u, 2u, 40u}) {
    InstanceDraft draft;
    std::vector<std::uint32_t> expected, given;
    RandomStream draws(5, Purpose::stimulus, {});
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const std::size_t count = draws.below(most + 1);
      draft.add(i, count);
      expected.insert(expected.end(), count, i);
    }
    draft.each([&](std::size_t number, std::uint32_t instance) {
      EXPECT_EQ(number, given.size());
      given.push_back(instance);
    });
    EXPECT_EQ(given, expected);
    EXPECT_EQ(draft.size(), expected.size());
  }
}

TEST(FanIn, OfFewAmongManySourcesTakesMemoryAsTheFew) {
  FanInDraft draft;
  for (std::uint32_t i = 0; i < 1000; ++i) draft.add(i * 1000, {i, FanIn::no_slot, 1, 1});
  EXPECT_EQ(draft.sorted(4000000000).bytes(), 3 * 4 * 1000 + 4u);
}

}  // namespace
}  // namespace hillock::network
