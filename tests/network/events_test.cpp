// Events: when they arrive, in which order, and the trains that stimuli send.

#include "network/events.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "network/event_sources.hpp"
#include "network/self_events.hpp"

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

TEST(SelfEvents, ComeByTimeAndThenInTheOrderOfSending) {
  SelfEvents events;
  for (const double flag : {3.0, 4.0, 5.0})
    events.send({flag == 4 ? 1.0 : 2.0, SelfEvent::Kind::deliver, {}, 0, flag});
  for (const double flag : {4.0, 3.0, 5.0}) EXPECT_EQ(events.take().flag, flag);
  EXPECT_TRUE(events.empty());
}

TEST(SelfEvents, TheLatestOfFlagOneMoves) {
  SelfEvents events;
  const EventTarget here{0, 2, 5}, there{0, 3, 5};
  events.send({1, SelfEvent::Kind::deliver, here, 0.5, 1});
  events.send({2, SelfEvent::Kind::deliver, here, 0.7, 1});
  events.send({3, SelfEvent::Kind::deliver, here, 0, 2});
  EXPECT_FALSE(events.move(there, 9));
  EXPECT_TRUE(events.move(here, 4));
  EXPECT_EQ(events.take().weight, 0.5);
  EXPECT_FALSE(events.move(here, 9));  // one of flag 1 has come: none is awaited, as in NEURON
  EXPECT_EQ(events.take().flag, 2);
  EXPECT_EQ(events.next_ms(), 4);
  EXPECT_EQ(events.take().weight, 0.7);
}

TEST(EventQueue, HandsOutEachEpochInOrderOfStepTimeSourceAndConnection) {
  EventQueue queue(10);
  const auto add = [&](std::int64_t step, double time, std::uint64_t source, std::uint32_t k) {
    queue.add({step, time, source, 0, k, {}, 1});
  };
  add(12, 1.2, 5, 0);
  add(3, 0.31, 9, 0);
  add(3, 0.3, 9, 1);
  add(3, 0.3, 9, 0);
  add(3, 0.3, first_stimulus_source, 0);
  add(35, 3.5, 1, 0);
  const auto first = queue.take(0);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[0].k, 0u);
  EXPECT_EQ(first[1].k, 1u);
  EXPECT_EQ(first[2].source, first_stimulus_source);
  EXPECT_EQ(first[3].time_ms, 0.31);
  EXPECT_EQ(queue.take(10).size(), 1u);
  EXPECT_EQ(queue.take(20).size(), 0u);
  EXPECT_EQ(queue.take(30).size(), 1u);
  EXPECT_EQ(queue.take(40).size(), 0u);
}

TEST(EventQueue, NothingIsLostSilently) {
  EventQueue queue(10);
  queue.take(0);
  EXPECT_THROW(queue.add({5, 0.5, 0, 0, 0, {}, 1}), std::logic_error);
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
