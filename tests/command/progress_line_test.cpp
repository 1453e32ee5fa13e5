// The time left of a phase: right soon after its beginning, whatever the beginning was like.

#include "simulator/command/terminal/progress_line.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "simulator/session/pace.hpp"

namespace hillock::command {
namespace {

using Clock = TimeLeft::Clock;

Clock::time_point at(double seconds) {
  return Clock::time_point{} +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

TEST(TimeLeft, IsUnknownBeforeAnythingIsDone) {
  TimeLeft left;
  EXPECT_LT(left.seconds(100), 0);
  left.reach(at(5), 0);
  EXPECT_LT(left.seconds(100), 0);
}

TEST(TimeLeft, OfAnEvenPaceIsExact) {
  TimeLeft left;
  for (int s = 0; s <= 10; ++s) left.reach(at(100 + s), 2 * s);
  EXPECT_NEAR(left.seconds(100), 40, 1e-9);
}

TEST(TimeLeft, ForgetsASlowBeginning) {
  TimeLeft left;
  left.reach(at(0), 0);
  left.reach(at(10), 1);  // the first tenth of a second's work took ten
  for (int s = 11; s <= 20; ++s) left.reach(at(s), 1 + (s - 10) * 10);
  EXPECT_NEAR(left.seconds(1001), 90, 1e-9);
}

TEST(TimeLeft, IsWithinAFactorOfTwoFromATenthOnWhenThePaceChangesSlowly) {
  // A run whose pace falls by half from its beginning to its end.
  const double total = 1000;
  std::vector<double> reached_at(1, 0);
  for (int step = 0; step < 1000; ++step)
    reached_at.push_back(reached_at.back() + 0.01 * (1 + step / total));
  TimeLeft left;
  for (std::size_t step = 0; step <= 1000; ++step) {
    left.reach(at(reached_at[step]), static_cast<double>(step));
    const double real = reached_at.back() - reached_at[step];
    if (step < 100 || step > 990) continue;
    EXPECT_LT(left.seconds(total), 2 * real) << step;
    EXPECT_GT(left.seconds(total), real / 2) << step;
  }
}

TEST(TimeLeft, ItsRateIsThatOfTheSecondHalf) {
  TimeLeft left;
  EXPECT_LT(left.rate(), 0);
  left.reach(at(0), 0);
  left.reach(at(10), 1);
  for (int s = 11; s <= 20; ++s) left.reach(at(s), 1 + (s - 10) * 10);
  EXPECT_NEAR(left.rate(), 10, 1e-9);
}

TEST(SpeedText, HasNoExponentWhereTheRunIsFast) {
  EXPECT_EQ(speed_text(2037.4), "2037 ms/s");
  EXPECT_EQ(speed_text(42.18), "42.2 ms/s");
  EXPECT_EQ(speed_text(0.0421), "0.0421 ms/s");
}

TEST(RateText, IsOfACellAndASecondOfBiologicalTime) {
  EXPECT_EQ(rate_text(session::mean_rate_hz(160, 100, 1000)), "1.6 Hz");
  EXPECT_EQ(rate_text(session::mean_rate_hz(1, 1, 4)), "250 Hz");
  EXPECT_EQ(rate_text(0), "0 Hz");
}

TEST(Joined, LeavesOutWhatTellsLeast) {
  const std::vector<ProgressPart> parts{{"running", 9}, {"42 %", 8}, {"0:02", 2}, {"0:03 left", 7}};
  EXPECT_EQ(joined(parts, 0), "running  42 %  0:02  0:03 left");
  EXPECT_EQ(joined(parts, 30), "running  42 %  0:02  0:03 left");
  EXPECT_EQ(joined(parts, 29), "running  42 %  0:03 left");
  EXPECT_EQ(joined(parts, 23), "running  42 %");
  EXPECT_EQ(joined(parts, 5), "running");
}

TEST(ClockText, CountsHoursOnlyWhereThereAreSome) {
  EXPECT_EQ(clock_text(0.2), "0:00");
  EXPECT_EQ(clock_text(245), "4:05");
  EXPECT_EQ(clock_text(3723.4), "1:02:03");
}

}  // namespace
}  // namespace hillock::command
