// Ranks as threads hold to what MPI asks of its callers.

#include "network/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

#include "tests/network/within.hpp"

namespace hillock::network {
namespace {

using namespace std::chrono_literals;

BytesView bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(ThreadRanks, MessagesComeInTheirOrderOnEachChannel) {
  run_ranks(3, [](Ranks& ranks) {
    const std::string texts[] = {"a", "", "ccc"};
    const int next = (ranks.number() + 1) % 3, last = (ranks.number() + 2) % 3;
    for (const std::string& text : texts) {
      ranks.send(next, Channel::output, bytes_of_text(text));
      ranks.send(next, Channel::state, bytes_of_text(text + "!"));
    }
    for (const std::string& text : texts)
      EXPECT_EQ(ranks.receive(last, Channel::state).size(), text.size() + 1);
    for (const std::string& text : texts)
      EXPECT_EQ(ranks.receive(last, Channel::output).size(), text.size());
    ranks.finish_sends(Channel::output);
  });
}

TEST(ThreadRanks, AFailingRankEndsThoseThatWait) {
  within(60s, [] {
    const auto waits = [](Ranks& ranks, int how) {
      const std::uint64_t own = 1;
      std::uint64_t sum = 0;
      if (how == 0) ranks.sum({&own, 1}, {&sum, 1});
      if (how == 1) ranks.receive(2, Channel::state);
      ranks.send(2, Channel::state, {});
      if (how == 2) ranks.finish_sends(Channel::state);
    };
    for (int how = 0; how < 3; ++how)
      EXPECT_THROW(run_ranks(5,
                             [&](Ranks& ranks) {
                               if (ranks.number() == 2) throw std::domain_error("2");
                               waits(ranks, how);
                             }),
                   std::domain_error);
  });
}

TEST(ThreadRanks, WhatChangesBeforeItIsSentIsAnError) {
  within(60s, [] {
    EXPECT_THROW(run_ranks(2,
                           [](Ranks& ranks) {
                             std::string text = "text";
                             ranks.send(1 - ranks.number(), Channel::state, bytes_of_text(text));
                             text[0] = 'n';
                             ranks.receive(1 - ranks.number(), Channel::state);
                             ranks.finish_sends(Channel::state);
                           }),
                 std::logic_error);
    EXPECT_THROW(run_ranks(2,
                           [](Ranks& ranks) {
                             std::uint64_t own = 1, sum = 0;
                             ranks.begin_sum({&own, 1}, {&sum, 1});
                             own = 2;
                             ranks.finish_sum();
                           }),
                 std::logic_error);
  });
}

TEST(ThreadRanks, TwoGathersOrSumsDoNotBeginAtOnce) {
  within(60s, [] {
    EXPECT_THROW(run_ranks(2,
                           [](Ranks& ranks) {
                             const std::array<std::uint64_t, 1> own{1};
                             std::array<std::uint64_t, 1> sums{};
                             ranks.begin_sum(own, sums);
                             ranks.begin_sum(own, sums);
                           }),
                 std::logic_error);
    EXPECT_THROW(run_ranks(2,
                           [](Ranks& ranks) {
                             const Bytes own(3);
                             Bytes all(6);
                             ranks.begin_all_gather(own, all);
                             ranks.begin_all_gather(own, all);
                           }),
                 std::logic_error);
  });
}

TEST(ThreadRanks, CountWhatOthersGet) {
  const Traffic traffic = run_ranks(4, [](Ranks& ranks) {
    const auto own = static_cast<std::size_t>(ranks.number());
    const std::array<std::size_t, 4> sizes = {0, 1, 2, 3};
    Bytes all(6), as_many(8);
    ranks.all_gather(Bytes(own), sizes, all);  // 6 bytes to three others each
    const Bytes two(2);
    ranks.begin_all_gather(two, as_many);  // 8
    ranks.finish_all_gather();
    if (own == 0) ranks.send(1, Channel::state, {});  // nothing, in a message
    if (own == 1) ranks.receive(0, Channel::state);
  });
  EXPECT_EQ(traffic.gathers, 2u);
  EXPECT_EQ(traffic.messages, 1u);
  EXPECT_EQ(traffic.bytes, 3u * 6 + 3 * 8);
}

}  // namespace
}  // namespace hillock::network
