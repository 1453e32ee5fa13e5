// Sums that are on their way: by step, channel and neuron, however far ahead.

#include "network/propagation/input_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace hillock::network {
namespace {

TEST(InputRing, HasAsManySlotsAsThePowerOf2ThatHoldsAllStepsAhead) {
  InputRing ring(5, 1);
  ring.reach(0, 1);
  EXPECT_EQ(ring.slots(), 2u);
  ring.reach(0, 3);
  EXPECT_EQ(ring.slots(), 4u);
  ring.reach(0, 4);
  EXPECT_EQ(ring.slots(), 8u);
  ring.reach(0, 2);
  EXPECT_EQ(ring.slots(), 8u);
  EXPECT_EQ(ring.bytes(), 8 * 8 * sizeof(Sum));  // a row fills a cache line
}

TEST(InputRing, GivesEveryStepAndNeuronWhatWasAddedForIt) {
  InputRing ring(3, 1);
  ring.reach(0, 7);
  for (std::int64_t step = 100; step < 108; ++step)
    for (unsigned n = 0; n < 3; ++n) {
      ring.view().add(step, n, step * 10 + n);
      ring.view().add(step, n, -1);
    }
  for (std::int64_t step = 100; step < 108; ++step)
    for (unsigned n = 0; n < 3; ++n) EXPECT_EQ(ring.sums(step, 0)[n], step * 10 + n - 1);
}

TEST(InputRing, AddsNegativeWeightsApartOnTwoChannelsAndTogetherOnOne) {
  for (const std::size_t channels : {1u, 2u}) {
    InputRing ring(2, channels);
    ring.reach(0, 1);
    for (const long long weight : {5, -3, 0, -4, 7}) ring.view().add(6, 1, weight);
    EXPECT_EQ(ring.sums(6, 0)[1], channels == 1 ? 5 : 12);
    EXPECT_EQ(ring.sums(6, 0)[0], 0);
    if (channels == 2) {
      EXPECT_EQ(ring.sums(6, 1)[1], -7);
      EXPECT_EQ(ring.sums(6, 1)[0], 0);
    }
  }
}

TEST(InputRing, KeepsWhatIsOnItsWayWhenItGrows) {
  InputRing ring(2, 2);
  ring.reach(0, 3);
  for (std::int64_t step = 41; step < 45; ++step) {  // across the end of the slots
    ring.view().add(step, 1, step);
    ring.view().add(step, 0, -step);
  }
  ring.reach(41, 30);
  EXPECT_EQ(ring.slots(), 32u);
  for (std::int64_t step = 41; step < 41 + 32; ++step) {
    const bool there = step < 45;
    EXPECT_EQ(ring.sums(step, 0)[1], there ? step : 0) << step;
    EXPECT_EQ(ring.sums(step, 1)[0], there ? -step : 0) << step;
    EXPECT_EQ(ring.sums(step, 0)[0], 0);
    EXPECT_EQ(ring.sums(step, 1)[1], 0);
  }
}

}  // namespace
}  // namespace hillock::network
