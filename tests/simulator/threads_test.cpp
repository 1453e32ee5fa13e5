// Work shared by threads, and output handed over on a thread of its own.

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "simulator/loop/simulation.hpp"
#include "simulator/output/hand_over.hpp"
#include "simulator/threads/parallel.hpp"
#include "simulator/threads/thread_team.hpp"

namespace hillock::simulator {
namespace {

/// So many of like size.
std::vector<std::uint64_t> pieces(std::size_t count) {
  return std::vector<std::uint64_t>(count, 1);
}

TEST(Crew, DoesEveryPieceOnceEachTime) {
  for (const int threads : {1, 3, 8}) {
    Crew crew(pieces(20), threads);
    std::vector<std::atomic<int>> done(20);
    for (int time = 1; time <= 3; ++time) {
      crew.work([&](std::size_t i) { ++done[i]; });
      for (const auto& count : done) EXPECT_EQ(count, time);
    }
  }
}

TEST(Crew, ThreadsWithoutWorkTakeOthers) {
  Crew crew(pieces(4), 2);
  std::atomic<int> quick = 0;
  const auto longest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  crew.work([&](std::size_t i) {
    // Piece 0 waits until the other thread has done pieces 1, 2 and 3: only 2 and 3 are its own.
    if (i != 0) ++quick;
    while (i == 0 && quick < 3 && std::chrono::steady_clock::now() < longest)
      std::this_thread::yield();
  });
  EXPECT_EQ(quick, 3);
}

TEST(Crew, ThrowsTheFailureOfTheFirstPiece) {
  for (const int threads : {1, 4}) {
    Crew crew(pieces(50), threads);
    try {
      crew.work([](std::size_t i) {
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& failure) {
      EXPECT_STREQ(failure.what(), "7");
    }
  }
}

TEST(Crew, ThreadsBeginWithSharesOfLikeSize) {
  // Of 12 each thread has 6: piece 0 alone, and all others.
  Crew crew(std::vector<std::uint64_t>{6, 1, 2, 3}, 2);
  std::vector<std::thread::id> by(4);
  std::atomic<int> begun = 0;
  const auto longest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  crew.work([&](std::size_t i) {
    by[i] = std::this_thread::get_id();
    ++begun;  // nobody takes from the other before both have begun and piece 0 waits for all
    while (begun < (i == 0 ? 4 : 2) && std::chrono::steady_clock::now() < longest)
      std::this_thread::yield();
  });
  EXPECT_NE(by[0], by[1]);
  EXPECT_EQ(by[1], by[2]);
  EXPECT_EQ(by[1], by[3]);
}

TEST(Crew, DoesEveryPartOnceAfterItsPieceBegan) {
  for (const int threads : {1, 3, 8}) {
    Crew crew(pieces(20), threads);
    std::vector<std::atomic<int>> begun(20), parts(20 * 20);
    for (int time = 1; time <= 3; ++time) {
      crew.work_in_parts(
          [&](std::size_t i) {
            ++begun[i];
            return i;  // parts
          },
          [&](std::size_t i, std::size_t k, std::size_t thread) {
            EXPECT_EQ(begun[i], time);
            EXPECT_LT(k, i);
            EXPECT_LT(thread, std::size_t(threads));
            ++parts[i * 20 + k];
          });
      for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(begun[i], time);
        for (std::size_t k = 0; k < i; ++k) EXPECT_EQ(parts[i * 20 + k], time);
      }
    }
  }
}

TEST(Crew, ThreadsWithoutWorkTakePartsOfOthers) {
  Crew crew(pieces(1 + 1), 2);
  std::atomic<int> quick = 0;
  const auto longest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto parts = [](std::size_t i) { return i == 0 ? std::size_t{4} : 0; };
  crew.work_in_parts(parts, [&](std::size_t, std::size_t k, std::size_t) {
    // Part 0 waits until another thread has done the rest.
    if (k != 0) ++quick;
    while (k == 0 && quick < 3 && std::chrono::steady_clock::now() < longest)
      std::this_thread::yield();
  });
  EXPECT_EQ(quick, 3);
}

TEST(Gang, DoesEveryPartOfEveryTurnOnceWhoeverHelps) {
  for (const int helpers : {0, 1, 3}) {
    Gang gang(5);
    gang.open(0);
    std::vector<std::thread> threads;
    for (int h = 1; h <= helpers; ++h)
      threads.emplace_back([&gang, h] { gang.help(static_cast<std::size_t>(h)); });
    std::vector<int> done(5, 0);  // no atomics: a turn is over before the next one begins
    for (int turn = 1; turn <= 2000; ++turn) {
      gang.run([&](std::size_t part) { ++done[part]; });
      ASSERT_EQ(done, std::vector<int>(5, turn)) << helpers;
    }
    gang.close();
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Gang, ALeaderGoesOnAloneWhereHelpHoldsItUp) {
  if (available_threads() < 2) GTEST_SKIP() << "one core";
  Gang gang(2);
  gang.open(0);
  std::atomic<bool> is_slow = true;
  std::atomic<int> helped = 0;
  const std::thread::id leader = std::this_thread::get_id();
  std::thread helper([&] { gang.help(1); });
  std::vector<int> done(2, 0);
  const auto take_turn = [&] {
    gang.run([&](std::size_t part) {
      ++done[part];
      if (std::this_thread::get_id() == leader) return;
      ++helped;
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  };
  while (helped == 0) take_turn();
  const int before = done[0];
  for (int turn = 0; turn < 10000; ++turn) take_turn();
  EXPECT_LT(helped, 1000) << "of 10000 turns";
  EXPECT_EQ(done, std::vector<int>(2, before + 10000));
  // And tries again.
  is_slow = false;
  for (const int so_far = helped; helped == so_far;) take_turn();
  gang.close();
  helper.join();
}

TEST(Crew, ThreadsWithoutPiecesHelpWithParts) {
  if (available_threads() < 2) GTEST_SKIP() << "one core";
  Crew crew(pieces(1), 2, 0, true);
  ASSERT_EQ(crew.threads(), 2);
  Gang gang(2);
  std::set<std::thread::id> who;
  std::mutex mutex;
  const auto longest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  crew.work_in_parts([](std::size_t) { return std::size_t{1}; },
                     [&](std::size_t, std::size_t, std::size_t) {
                       while (who.size() < 2 && std::chrono::steady_clock::now() < longest)
                         gang.run([&](std::size_t) {
                           const std::lock_guard lock(mutex);
                           who.insert(std::this_thread::get_id());
                         });
                     },
                     [&](std::size_t, std::size_t) { return &gang; });
  EXPECT_EQ(who.size(), 2u);
}

TEST(Crew, ThreadsBeyondThePiecesTakeParts) {
  Crew crew(pieces(1), 3, 2);
  ASSERT_EQ(crew.threads(), 2);
  std::atomic<int> begun = 0;
  const auto longest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  crew.work_in_parts([](std::size_t) { return std::size_t{2}; },
                     [&](std::size_t, std::size_t, std::size_t) {
                       for (++begun; begun < 2 && std::chrono::steady_clock::now() < longest;)
                         std::this_thread::yield();
                     });
  EXPECT_EQ(begun, 2);
  EXPECT_LT(std::chrono::steady_clock::now(), longest) << "one after the other";
}

TEST(Crew, ThrowsTheFailureOfTheFirstPart) {
  for (const int threads : {1, 4}) {
    Crew crew(pieces(10), threads);
    try {
      crew.work_in_parts(
          [](std::size_t i) {
            if (i == 6) throw std::runtime_error("6");
            return std::size_t{5};
          },
          [](std::size_t i, std::size_t k, std::size_t) {
            if (i >= 4 && k >= 2) throw std::runtime_error(std::to_string(10 * i + k));
          });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& failure) {
      EXPECT_STREQ(failure.what(), "42");
    }
  }
}

TEST(CoreBinding, EndsWithTheCrew) {
#if defined(__linux__)
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  {
    const CoreBinding all(CPU_COUNT(&before));
    cpu_set_t within;
    sched_getaffinity(0, sizeof(within), &within);
    if (all.is_bound()) {
      EXPECT_EQ(CPU_COUNT(&within), 1);
    }
    std::thread([&] {
      use_all_cores();
      sched_getaffinity(0, sizeof(within), &within);
    }).join();
    EXPECT_TRUE(CPU_EQUAL(&before, &within));
  }
  sched_getaffinity(0, sizeof(after), &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_FALSE(CoreBinding(CPU_COUNT(&before) + 1).is_bound());
#endif
}

TEST(ParallelFor, ThrowsTheFailureOfTheFirstPiece) {
  for (const int threads : {1, 4})
    EXPECT_THROW(parallel_for(100, threads,
                              [](std::size_t i) {
                                if (i == 99) throw std::logic_error("99");
                                if (i == 3) throw std::runtime_error("3");
                              }),
                 std::runtime_error);
}

/// Which thread called the body of each number.
std::vector<std::thread::id> callers(int threads) {
  std::vector<std::thread::id> by(static_cast<std::size_t>(threads));
  run_on_team(threads, [&](std::size_t t) { by[t] = std::this_thread::get_id(); });
  return by;
}

TEST(ThreadTeam, KeepsItsThreadsAndGrows) {
  const auto three = callers(3), five = callers(5), two = callers(2);
  EXPECT_EQ(three[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(five.begin(), five.end()).size(), 5u);
  for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(five[t], three[t]);
  for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(two[t], three[t]);
}

TEST(ThreadTeam, IsNoneWithinATeam) {
  std::atomic<int> within = 0;
  run_on_team(
      3, [&](std::size_t) { run_on_team(3, [&](std::size_t t) { within += t == 0 ? 1 : 100; }); });
  EXPECT_EQ(within, 3);
}

TEST(ThreadTeam, CallsFollowOneAnother) {
  std::atomic<int> calls = 0;
  for (int time = 1; time <= 20000; ++time) {
    const int threads = 1 + time % 4;
    run_on_team(threads, [&](std::size_t) { ++calls; });
    if (time % 5000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // all sleep
  }
  EXPECT_EQ(calls, 20000 / 4 * (1 + 2 + 3 + 4));
}

TEST(ThreadTeam, EveryThreadThatAsksHasItsOwn) {
  std::atomic<int> calls = 0;
  std::vector<std::thread> asking;
  for (int k = 0; k < 4; ++k)
    asking.emplace_back([&] {
      for (int time = 0; time < 200; ++time) run_on_team(3, [&](std::size_t) { ++calls; });
    });
  for (std::thread& one : asking) one.join();
  EXPECT_EQ(calls, 4 * 200 * 3);
}

TEST(ThreadTeam, IsMadeAnewInTheChildOfAFork) {
  callers(3);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::atomic<int> calls = 0;
    run_on_team(3, [&](std::size_t) { ++calls; });
    _exit(calls == 3 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// Notes what it is given.
class Notes final : public RunSink {
 public:
  void spikes(std::span<const network::CellSpike> spikes) override {
    if (fails) throw std::runtime_error("no place");
    most = std::max(most, spikes.size());
    all.insert(all.end(), spikes.begin(), spikes.end());
  }
  void rows(std::size_t report, std::vector<double> some) override {
    reports.push_back(report);
    values.insert(values.end(), some.begin(), some.end());
  }

  bool fails = false;
  std::size_t most = 0;  ///< spikes at once
  std::vector<network::CellSpike> all;
  std::vector<std::size_t> reports;
  std::vector<double> values;
};

TEST(HandOver, GivesSpikesInOrderOfTimeAndRowsAsTheyCome) {
  Notes notes;
  HandOver to(notes);
  to.give({{{2, CellId(1)}, {1, CellId(5)}, {1, CellId(3)}}, {{}, {1, 2}}});
  to.give({{{3, CellId(0)}}, {{}, {3}}});
  to.finish();
  const std::vector<network::CellSpike> expected = {
      {1, CellId(3)}, {1, CellId(5)}, {2, CellId(1)}, {3, CellId(0)}};
  EXPECT_EQ(notes.all, expected);
  EXPECT_EQ(notes.reports, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(notes.values, (std::vector<double>{1, 2, 3}));
}

TEST(HandOver, GivesManySpikesInParts) {
  Notes notes;
  HandOver to(notes);
  Output many;
  for (std::uint64_t i = 0; i < 40000; ++i)
    many.spikes.push_back({static_cast<double>(i % 7), CellId(39999 - i)});
  to.give(std::move(many));
  to.finish();
  EXPECT_EQ(notes.all.size(), 40000u);
  EXPECT_TRUE(std::ranges::is_sorted(notes.all));
  EXPECT_EQ(notes.most, HandOver::most_spikes);
}

TEST(HandOver, ThrowsWhatTheSinkThrows) {
  Notes notes;
  notes.fails = true;
  HandOver to(notes);
  to.give({{{2, CellId(1)}}, {}});
  EXPECT_THROW(to.finish(), std::runtime_error);
}

TEST(HandOver, HandsOverWhatItHasWhenItEnds) {
  Notes notes;
  {
    HandOver to(notes);
    to.give({{{2, CellId(1)}}, {}});
  }
  EXPECT_EQ(notes.all.size(), 1u);
}

}  // namespace
}  // namespace hillock::simulator
