// A thread that works while the one that gives it work goes on.

#include "simulator/threads/side_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace hillock::simulator {
namespace {

TEST(SideThread, DoesOneThingAfterTheOther) {
  std::vector<int> done;
  {
    SideThread side;
    for (int i = 0; i < 100; ++i) side.give([&done, i] { done.push_back(i); });
    side.finish();
    EXPECT_EQ(done.size(), 100u);
    side.give([&done] { done.push_back(100); });
  }  // waits for the last
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(done.at(static_cast<std::size_t>(i)), i);
}

TEST(SideThread, WorksWhileTheOtherGoesOn) {
  std::atomic<bool> has_gone_on = false;
  SideThread side;
  side.give([&] { has_gone_on.wait(false); });
  EXPECT_FALSE(side.is_done_within(std::chrono::milliseconds(1)));
  has_gone_on = true;
  has_gone_on.notify_one();
  EXPECT_TRUE(side.is_done_within(std::chrono::minutes(1)));
  side.finish();
}

TEST(SideThread, TellsOfAFailureOnce) {
  SideThread side;
  side.give([] { throw std::runtime_error("first"); });
  EXPECT_THROW(side.give([] { FAIL() << "was given behind a failure"; }), std::runtime_error);
  EXPECT_NO_THROW(side.finish());
  side.give([] { throw std::runtime_error("second"); });
  EXPECT_THROW(side.finish(), std::runtime_error);
  side.give([] { throw std::runtime_error("nobody asks"); });
}

}  // namespace
}  // namespace hillock::simulator
