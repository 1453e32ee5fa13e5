// How long epochs are, by what bounds them.

#include "simulator/epoch_length.hpp"

#include <gtest/gtest.h>

namespace hillock::simulator {
namespace {

EpochBounds bounds() {
  return {.dt_ms = 0.025, .shortest_delay_ms = 1, .most_steps = 400, .most_sample_bytes = 1 << 20};
}

TEST(EpochLength, IsTheShortestDelayInWholeSteps) {
  EpochBounds of = bounds();
  EXPECT_EQ(epoch_length(of).steps, 40);
  of.shortest_delay_ms = 0.99;
  EXPECT_EQ(epoch_length(of).steps, 39);
  of.shortest_delay_ms = 0;
  EXPECT_EQ(epoch_length(of).steps, 400);
  of.shortest_delay_ms = 100;
  EXPECT_EQ(epoch_length(of).steps, 400);
  of.most_steps = 7;
  EXPECT_EQ(epoch_length(of).steps, 7);
  of.has_gap_junctions = true;
  EXPECT_EQ(epoch_length(of).steps, 1);
}

TEST(EpochLength, IsHalfTheDelayWhereSpikesTravelMeanwhile) {
  EpochBounds of = bounds();
  of.has_ranks = true;
  EXPECT_EQ(epoch_length(of).steps, 20);
  EXPECT_TRUE(epoch_length(of).overlaps);
  of.shortest_delay_ms = 15 * of.dt_ms;  // epochs of 7 steps are short
  EXPECT_EQ(epoch_length(of).steps, 15);
  EXPECT_FALSE(epoch_length(of).overlaps);
  of.overlap = Overlap::yes;
  EXPECT_EQ(epoch_length(of).steps, 7);
  of.shortest_delay_ms = of.dt_ms;  // has no half
  EXPECT_FALSE(epoch_length(of).overlaps);
  of = bounds();
  of.has_ranks = of.has_gap_junctions = true;
  of.overlap = Overlap::yes;
  EXPECT_FALSE(epoch_length(of).overlaps);
}

TEST(EpochLength, IsHalvedUntilSamplesFit) {
  EpochBounds of = bounds();
  of.sample_bytes_a_step = of.most_sample_bytes / 15;
  EXPECT_EQ(epoch_length(of).steps, 10);
}

}  // namespace
}  // namespace hillock::simulator
