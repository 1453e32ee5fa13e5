#include "models/field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hillock::models {
namespace {

using Table = std::vector<std::pair<double, double>>;

/// Linear between rows, 0 outside; of two at one time the first.
double at(const Table& table, double time_ms) {
  for (std::size_t row = 1; row < table.size(); ++row) {
    const auto [from, first] = table[row - 1];
    const auto [to, last] = table[row];
    if (from < to && from <= time_ms && time_ms <= to)
      return first + (last - first) * (time_ms - from) / (to - from);
  }
  return 0;
}

/// [frame]
std::vector<double> at(const std::vector<Table>& frames, double time_ms) {
  std::vector<double> all;
  for (const Table& frame : frames) all.push_back(at(frame, time_ms));
  return all;
}

MATCHER_P3(AreAbout, a, b, c, "") {
  return std::abs(arg[0] - a) < 1e-12 && std::abs(arg[1] - b) < 1e-12 &&
         std::abs(arg[2] - c) < 1e-12;
}

TEST(FramesInTime, AreLinearBetweenTheirTimesAndNothingOutside) {
  const auto frames = frames_in_time({1, 2, 4}, {});
  EXPECT_THAT(at(frames, 0.9), AreAbout(0, 0, 0));
  EXPECT_THAT(at(frames, 1.25), AreAbout(0.75, 0.25, 0));
  EXPECT_THAT(at(frames, 3.5), AreAbout(0, 0.25, 0.75));
  EXPECT_THAT(at(frames, 4.1), AreAbout(0, 0, 0));
}

TEST(FramesInTime, FollowAClockThatStandsGoesBackAndJumps) {
  const Table clock{{10, 1}, {11, 1}, {14, 4}, {14, 2}, {16, 1}, {16.5, 3}, {20, 3}};
  const auto frames = frames_in_time({1, 2, 4}, clock);
  EXPECT_THAT(at(frames, 9.9), AreAbout(0, 0, 0));
  EXPECT_THAT(at(frames, 10.5), AreAbout(1, 0, 0));
  EXPECT_THAT(at(frames, 11.5), AreAbout(0.5, 0.5, 0));
  EXPECT_THAT(at(frames, 13), AreAbout(0, 0.5, 0.5));
  EXPECT_THAT(at(frames, 15), AreAbout(0.5, 0.5, 0));
  EXPECT_THAT(at(frames, 16.25), AreAbout(0, 1, 0));
  EXPECT_THAT(at(frames, 19), AreAbout(0, 0.5, 0.5));
  EXPECT_THAT(at(frames, 20.1), AreAbout(0, 0, 0));
}

}  // namespace
}  // namespace hillock::models
