// Sums that are on their way: by step, channel and neuron, however far ahead.

#include "network/propagation/input_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace hillock::network {
namespace {

TEST(InputRing, HasAsManySlotsAsThePowerOf2ThatHoldsAllStepsAhead) {
  for (const auto& [steps, slots] : {std::pair(1, 2u), {3, 4u}, {4, 8u}, {7, 8u}}) {
    InputRing ring(5, 1);
    ring.reach(steps);
    EXPECT_EQ(ring.slots(), slots);
    EXPECT_EQ(ring.bytes(), slots * 8 * sizeof(Sum));  // a row fills a cache line
  }
}

TEST(InputRing, GivesEveryStepAndNeuronWhatWasAddedForIt) {
  InputRing ring(3, 1);
  ring.reach(7);
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
    ring.reach(1);
    for (const long long weight : {5, -3, 0, -4, 7}) ring.view().add(6, 1, weight);
    EXPECT_EQ(ring.sums(6, 0)[1], channels == 1 ? 5 : 12);
    EXPECT_EQ(ring.sums(6, 0)[0], 0);
    if (channels == 2) {
      EXPECT_EQ(ring.sums(6, 1)[1], -7);
      EXPECT_EQ(ring.sums(6, 1)[0], 0);
    }
  }
}

}  // namespace
}  // namespace hillock::network
