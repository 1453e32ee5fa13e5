// What fails on one rank ends all of them, with what was made before.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "tests/simulator/on_ranks.hpp"

namespace hillock::simulator {
namespace {

using namespace std::chrono_literals;

/// All ranks throw what one has met. Returns what the first one's sink had got.
MadeOnRanks expect_failure(const models::Network& network, const How& how, const Meddling& meddling,
                           int failing, const std::string& text) {
  MadeOnRanks made;
  std::atomic<int> failed = 0;
  within(300s, [&] {
    network::run_ranks(how.ranks, [&](network::Ranks& ranks) {
      try {
        simulate_as_rank(network, how, meddling, &ranks, made);
      } catch (const RankFailed& failure) {
        ++failed;
        EXPECT_EQ(failure.rank(), failing);
        EXPECT_EQ(failure.exit_code(), 7);
        EXPECT_EQ(failure.what(), text);
      }
    });
  });
  EXPECT_EQ(failed, how.ranks);
  return made;
}

template <class T>
bool begins_with(const std::vector<T>& all, const std::vector<T>& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

TEST(FailingRanks, EndTogetherAndKeepWhatWasMadeBefore) {
  models::Network network = recorded_network();
  network.run.placement = PlacementKind::round_robin;  // every rank has columns of every report
  const MadeOnRanks expected = simulate_on(network, {});
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
    for (const Overlap overlap : {Overlap::no, Overlap::yes})
      for (const int failing : {0, 1, 2}) {
        Meddling meddling;
        std::atomic<std::int64_t> last = 0;
        meddling.in_progress = [&](int rank, std::int64_t step) {
          if (rank != failing || step < 300) return;
          last = step;
          throw std::runtime_error("no more");
        };
        const How how{3, exchange, overlap};
        const MadeOnRanks made = expect_failure(network, how, meddling, failing, "no more");
        const std::string words = words_of(how, network.run.placement) + std::to_string(failing);
        for (const std::size_t r : {0u, 1u})  // a row a step
          EXPECT_EQ(made.sink.reports[r].size(),
                    expected.reports[r].element_ids.size() * static_cast<std::size_t>(last + 1))
              << words;
        for (std::size_t r = 0; r < 3; ++r)
          EXPECT_TRUE(begins_with(expected.sink.reports[r], made.sink.reports[r])) << words;
        const auto all = by_population(network, expected), some = by_population(network, made);
        for (std::size_t p = 0; p < all.size(); ++p) {
          EXPECT_TRUE(begins_with(all[p], some[p])) << words;
          if (some[p].size() < all[p].size()) {
            EXPECT_GT(all[p][some[p].size()].time_ms, static_cast<double>(last) * 0.025) << words;
          }
        }
      }
}

TEST(FailingRanks, EndWhenTheSinkFails) {
  const models::Network network = recorded_network();
  for (const Overlap overlap : {Overlap::no, Overlap::yes})
    for (const int good_calls : {0, 1, 4}) {
      Meddling meddling;
      int calls = 0;
      meddling.in_sink = [&] {
        if (calls++ >= good_calls) throw std::runtime_error("the disk is full");
      };
      expect_failure(network, {4, ExchangeKind::all, overlap}, meddling, 0, "the disk is full");
      EXPECT_EQ(calls, good_calls + 1);  // it is not called again
    }
}

TEST(FailingRanks, EndWhenTheStateIsNotKept) {
  const models::Network network = recorded_network();
  for (const ExchangeKind exchange : {ExchangeKind::all, ExchangeKind::neighbours})
    for (const int failing : {0, 2}) {
      Meddling meddling;
      meddling.in_keep = [&](int rank) {
        if (rank == failing) throw std::runtime_error("not kept");
      };
      expect_failure(network, {3, exchange, Overlap::yes, 200}, meddling, failing, "not kept");
    }
}

TEST(FailingRanks, RefuseAStateOfAnotherNetwork) {
  models::Network network = recorded_network();
  How how;
  how.save_every = 250;
  const MadeOnRanks saved = simulate_on(network, how);
  network.populations[1].size += 1;
  const How resumed{3, ExchangeKind::all, Overlap::yes, 0, &saved.saved.at(250)};
  EXPECT_THROW(simulate_on(network, resumed), RankFailed);
}

TEST(FailingRanks, FailTogetherWhenTheModelIsWrong) {
  models::Network network = recorded_network();
  network.stimuli[0].to.end = 1;  // the cell that the first of the ranks has
  std::get<models::EventSource>(network.stimuli[0].kind).synapse.at = at("nowhere", 0.5);
  EXPECT_THROW(simulate_on(network, {3}), RankFailed);
}

}  // namespace
}  // namespace hillock::simulator
