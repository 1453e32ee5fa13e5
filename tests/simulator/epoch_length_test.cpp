// How long epochs are, by what bounds them.

#include "simulator/plan/network/epoch_length.hpp"

#include <gtest/gtest.h>

namespace hillock::simulator {
namespace {

EpochBounds bounds() {
  return {.dt_ms = 0.025, .shortest_delay_ms = 1, .most_steps = 400};
}

TEST(EpochLength, IsTheShortestDelayInWholeSteps) {
  EpochBounds of = bounds();
  EXPECT_EQ(epoch_length(of).steps, 40);
  of.has_clock = true;
  EXPECT_EQ(epoch_length(of).steps, 39);
  of.shortest_delay_ms = 1e-9;  // as one of 0 counts
  EXPECT_EQ(epoch_length(of).steps, 1);
  of.has_clock = false;
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

TEST(EpochLength, LeavesTimeForLateSpikes) {
  EpochBounds of = bounds();
  of.late = {{PopulationId(0), 40, 1}};
  EXPECT_EQ(epoch_length(of).steps, 40);  // which all steps of the neurons end with
  of.shortest_delay_ms = 39 * of.dt_ms;
  EXPECT_EQ(epoch_length(of).steps, 20);
  of.late[0].shortest_delay_ms = 1.15;  // 6 steps more: of epochs of 24 steps some end 16 late
  EXPECT_EQ(epoch_length(of).steps, 20);
  of.late[0].shortest_delay_ms = 1.4;
  EXPECT_EQ(epoch_length(of).steps, 24);
  of.late[0].shortest_delay_ms = 2;
  EXPECT_EQ(epoch_length(of).steps, 39);
  of.late = {{PopulationId(0), 40, 1.025}, {PopulationId(1), 7, 7 * of.dt_ms}};
  EXPECT_EQ(epoch_length(of).steps, 1);
  of.late = {{PopulationId(0), 40, 1}};
  of.has_ranks = true;
  EXPECT_FALSE(epoch_length(of).overlaps);  // an epoch later they would have arrived
  EXPECT_EQ(epoch_length(of).steps, 20);
  of.late[0].shortest_delay_ms = 2;
  EXPECT_TRUE(epoch_length(of).overlaps);
  EXPECT_EQ(epoch_length(of).steps, 19);
  of.samples_a_step = 1.0 / 15;
  of.late = {{PopulationId(0), 5, 5 * of.dt_ms}};
  of.has_ranks = false;
  EXPECT_EQ(epoch_length(of).steps, 5);  // not 9, which is half of 19
}

TEST(EpochLength, IsHalvedUntilSamplesFit) {
  EpochBounds of = bounds();
  of.samples_a_step = 1.0 / 15;
  EXPECT_EQ(epoch_length(of).steps, 10);
}

}  // namespace
}  // namespace hillock::simulator
