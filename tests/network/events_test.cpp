// Events: when they arrive, and the trains that stimuli send.

#include "network/events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <vector>

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

/// t += dt/2, twice a step, as NEURON's.
std::vector<double> clock_of(double dt_ms, double at_ms, int steps) {
  std::vector<double> clock_ms{at_ms};
  for (int step = 0; step < steps; ++step)
    clock_ms.push_back(clock_ms.back() + 0.5 * dt_ms + 0.5 * dt_ms);
  return clock_ms;
}

TEST(Boundaries, WithoutAClockAreMultiplesOfDt) {
  std::mt19937_64 random(1);
  for (const double dt_ms : {0.025, 0.1, 1.0 / 3}) {
    const Boundaries boundaries{dt_ms};
    EXPECT_EQ(boundaries.boundary_ms(7), 7 * dt_ms);
    EXPECT_EQ(boundaries.spike_boundary_ms(7), 7 * dt_ms);
    for (int i = -5; i < 20000; ++i) {
      const double time_ms = i % 2 == 0 ? dt_ms * (0.5 * i + 1e-6 * static_cast<double>(i % 7))
                                        : dt_ms * static_cast<double>(random() % 10000000) * 1e-3;
      const std::int64_t step = arrival_step(time_ms, dt_ms);
      EXPECT_EQ(boundaries.step_of(time_ms), step);
      for (const std::int64_t other : {step - 1, step})
        EXPECT_EQ(boundaries.arrives_by(other, time_ms), arrives_by(other, time_ms, dt_ms));
      EXPECT_EQ(boundaries.arrival_ms(time_ms, dt_ms), time_ms + dt_ms);
    }
  }
}

/// NEURON delivers in a step what comes until half a step behind its t.
TEST(Boundaries, WithAClockTheFirstStepWhoseMiddleIsNoEarlierHears) {
  constexpr int begins = 4000, steps = 40000;
  for (const double dt_ms : {0.1, 0.2}) {
    const std::vector<double> clock_ms = clock_of(dt_ms, begins * dt_ms, steps);
    const Boundaries boundaries{dt_ms, clock_ms.data(), begins, std::ssize(clock_ms)};
    EXPECT_EQ(boundaries.boundary_ms(begins + 9), clock_ms[9]);
    EXPECT_EQ(boundaries.spike_boundary_ms(begins + 9), clock_ms[9] + 1e-10);
    int sooner = 0, later = 0;
    for (int k = 1; k < steps - 1; ++k) {
      const double middle_ms = clock_ms[static_cast<std::size_t>(k)] + 0.5 * dt_ms;
      EXPECT_EQ(boundaries.step_of(middle_ms), begins + k);
      EXPECT_EQ(boundaries.step_of(std::nextafter(middle_ms, 1e9)), begins + k + 1);
      const double time_ms = (begins + k + 0.5) * dt_ms;
      const std::int64_t step = boundaries.step_of(time_ms);
      EXPECT_EQ(step, begins + k + (time_ms > middle_ms ? 1 : 0));
      ++(time_ms > middle_ms ? later : sooner);
      EXPECT_TRUE(boundaries.arrives_by(step, time_ms));
      EXPECT_FALSE(boundaries.arrives_by(step - 1, time_ms));
    }
    EXPECT_GT(std::min(sooner, later), 0);
    // Before it begins and behind its end multiples of dt decide.
    EXPECT_EQ(boundaries.step_of((begins - 3.5) * dt_ms), begins - 3);
    EXPECT_EQ(boundaries.step_of((begins + steps + 8.5) * dt_ms), begins + steps + 9);
  }
}

/// It is known at the end of the step in which it was sent.
TEST(Boundaries, WhatASpikeSendsComesInALaterStepWhateverSumsAreRoundedTo) {
  constexpr int steps = 4000;
  int put_off = 0;
  for (const double dt_ms : {0.025, 0.1, 0.2, 0.03}) {
    const std::vector<double> clock_ms = clock_of(dt_ms, 0, steps);
    const Boundaries boundaries{dt_ms, clock_ms.data(), 0, std::ssize(clock_ms)};
    for (int k = 1; k < steps - 9; ++k)
      for (const double sent_ms : {(k + 0.5) * dt_ms, std::nextafter((k + 0.5) * dt_ms, 1e9)}) {
        double before_ms = 0;
        for (const double delay_ms : {0.0, dt_ms, 2 * dt_ms, 2.5 * dt_ms}) {
          const double time_ms = boundaries.arrival_ms(sent_ms, delay_ms);
          EXPECT_EQ(boundaries.step_of(time_ms),
                    std::max(boundaries.step_of(sent_ms + delay_ms),
                             boundaries.step_of(sent_ms) + (delay_ms > 0 ? 1 : 0)));
          EXPECT_NEAR(time_ms, sent_ms + delay_ms, 1e-9);
          EXPECT_GE(time_ms, before_ms);
          before_ms = time_ms;
          if (time_ms != sent_ms + delay_ms) ++put_off;
        }
      }
  }
  EXPECT_GT(put_off, 10);
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
