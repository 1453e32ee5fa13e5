// Work shared by threads, and output handed over on a thread of its own.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "simulator/hand_over.hpp"
#include "simulator/parallel.hpp"
#include "simulator/simulation.hpp"

namespace hillock::simulator {
namespace {

TEST(Crew, DoesEveryPieceOnceEachTime) {
  for (const int threads : {1, 3, 8}) {
    Crew crew(20, threads);
    std::vector<std::atomic<int>> done(20);
    for (int time = 1; time <= 3; ++time) {
      crew.work([&](std::size_t i) { ++done[i]; });
      for (const auto& count : done) EXPECT_EQ(count, time);
    }
  }
}

TEST(Crew, ThreadsWithoutWorkTakeOthers) {
  Crew crew(4, 2);
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
    Crew crew(50, threads);
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

TEST(ParallelFor, ThrowsTheFailureOfTheFirstPiece) {
  for (const int threads : {1, 4})
    EXPECT_THROW(parallel_for(100, threads,
                              [](std::size_t i) {
                                if (i == 99) throw std::logic_error("99");
                                if (i == 3) throw std::runtime_error("3");
                              }),
                 std::runtime_error);
}

/// Notes what it is given.
class Notes final : public RunSink {
 public:
  void spikes(std::span<const network::CellSpike> spikes) override {
    if (fails) throw std::runtime_error("no place");
    all.insert(all.end(), spikes.begin(), spikes.end());
  }
  void rows(std::size_t report, std::vector<double> some) override {
    reports.push_back(report);
    values.insert(values.end(), some.begin(), some.end());
  }

  bool fails = false;
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
