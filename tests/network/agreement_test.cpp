// Ranks end together, with the words of the first that failed.

#include "network/agreement.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "network/thread_ranks.hpp"
#include "tests/network/within.hpp"

namespace hillock::network {
namespace {

using namespace std::chrono_literals;

/// The text, and a code that follows from its length.
ToldFailure tell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return {static_cast<int>(text.size()) + 2, text};
  }
}

std::string text_of(int rank) {
  return rank % 5 == 4 ? "" : "rank " + std::string(static_cast<std::size_t>(rank) * 100, '!');
}

TEST(Agreement, AllThrowWhatTheFirstFailingRankSays) {
  within(60s, [] {
    for (const int count : {1, 2, 5, 9})
      for (const auto& failing :
           std::vector<std::set<int>>{{0}, {count - 1}, {count / 2, 1}, {4}}) {
        const int first = *failing.begin();
        if (*failing.rbegin() >= count) continue;
        std::atomic<int> thrown = 0;
        run_ranks(count, [&](Ranks& ranks) {
          try {
            agree_after(ranks, tell, [&] {
              if (failing.contains(ranks.number()))
                throw std::runtime_error(text_of(ranks.number()));
            });
          } catch (const RankFailed& failure) {
            ++thrown;
            EXPECT_EQ(failure.rank(), first);
            EXPECT_EQ(failure.what(), text_of(first));
            EXPECT_EQ(failure.exit_code(), static_cast<int>(text_of(first).size()) + 2);
          }
        });
        EXPECT_EQ(thrown, count);
      }
  });
}

TEST(Agreement, IsSilentWhereNobodyFailed) {
  std::atomic<int> done = 0;
  run_ranks(4, [&](Ranks& ranks) {
    for (int i = 0; i < 10; ++i) agree_after(ranks, tell, [&] { ++done; });
    agree(ranks, nullptr, {});
  });
  EXPECT_EQ(done, 40);
}

TEST(Agreement, GathersNumbersAndBytes) {
  for (const int count : {1, 2, 7})
    run_ranks(count, [&](Ranks& ranks) {
      const auto own = static_cast<std::size_t>(ranks.number());
      const Bytes mine(own % 3 * 5, std::byte(own));  // of some ranks none
      std::vector<std::size_t> sizes;
      const Bytes all = bytes_of_all(ranks, mine, sizes);
      const std::vector<std::uint64_t> numbers = numbers_of_all(ranks, own * own);
      Bytes expected;
      std::uint64_t sum = 0;
      for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
        EXPECT_EQ(sizes[rank], rank % 3 * 5);
        EXPECT_EQ(numbers[rank], rank * rank);
        expected.insert(expected.end(), sizes[rank], std::byte(rank));
        sum += rank;
      }
      EXPECT_EQ(all, expected);
      EXPECT_EQ(sum_of_all(ranks, own), sum);
      EXPECT_EQ(sizes.size(), static_cast<std::size_t>(count));
    });
}

}  // namespace
}  // namespace hillock::network
