// Events: when they arrive, and the trains that stimuli send.

#include "network/events.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "network/event_sources.hpp"

namespace hillock::network {
namespace {

TEST(ArrivalStep, IsTheNearestBoundaryAndHalfAStepGoesToTheLater) {
  EXPECT_EQ(arrival_step(1.0, 0.025), 40);
  EXPECT_EQ(arrival_step(1.012, 0.025), 40);
  EXPECT_EQ(arrival_step(1.0125, 0.025), 41);
  EXPECT_EQ(arrival_step(1.013, 0.025), 41);
  EXPECT_EQ(arrival_step(0, 0.025), 0);
  // Sums of steps and delays carry round-off: 10.0125 / 0.025 is 400.4999999…
  EXPECT_EQ(arrival_step(10 + 0.0125, 0.025), 401);
}

TEST(ArrivesBy, IsTheStepOfArrival) {
  for (const double time : {0.0, 1.0, 1.012, 1.0125, 1.013, 10.0125, 3.3333})
    for (std::int64_t step = arrival_step(time, 0.025) - 1; step < 500; step += 100)
      EXPECT_EQ(arrives_by(step, time, 0.025), arrival_step(time, 0.025) <= step) << time;
}

TEST(EventTrain, PoissonHasItsRateAndKeepsToItsWindow) {
  auto train = EventTrain::poisson(50, 100, 100100, 3, 0, 7);
  int count = 0;
  double last = 100;
  for (; std::isfinite(train.next_ms()); train.advance(), ++count) {
    EXPECT_GT(train.next_ms(), last);
    last = train.next_ms();
  }
  EXPECT_LT(last, 100100);
  EXPECT_NEAR(count, 5000, 354);  // statistical: sd = sqrt(5000); five of them
  auto silent = EventTrain::poisson(0, 0, 1e6, 3, 0, 7);
  EXPECT_FALSE(std::isfinite(silent.next_ms()));
}

TEST(EventTrain, PoissonCellsAreIndependentAndRepeatable) {
  auto a = EventTrain::poisson(50, 0, 1e6, 3, 0, 7);
  auto same = EventTrain::poisson(50, 0, 1e6, 3, 0, 7);
  auto other = EventTrain::poisson(50, 0, 1e6, 3, 0, 8);
  EXPECT_EQ(a.next_ms(), same.next_ms());
  EXPECT_NE(a.next_ms(), other.next_ms());
}

TEST(EventTrain, GivenTimesAreSorted) {
  auto train = EventTrain::times({3, 1, 2});
  for (const double expected : {1.0, 2.0, 3.0}) {
    EXPECT_EQ(train.next_ms(), expected);
    train.advance();
  }
  EXPECT_FALSE(std::isfinite(train.next_ms()));
}

}  // namespace
}  // namespace hillock::network
