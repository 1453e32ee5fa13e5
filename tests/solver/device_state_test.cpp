#include "solver/cuda/device_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace hillock::solver {

namespace {

using testing::HasSubstr;
using StateKind = DeviceState::Kind;
using Context = DeviceAnswers::Context;

constexpr int least = 75;

/// What a good device answers, but for one thing.
DeviceAnswers good_but(const std::function<void(DeviceAnswers&)>& change) {
  DeviceAnswers answers;
  answers.driver_version = 13010;
  answers.runtime_version = 13000;
  answers.devices = 1;
  answers.name = "NVIDIA T4";
  answers.capability = 75;
  change(answers);
  return answers;
}

DeviceState state_if(const std::function<void(DeviceAnswers&)>& change) {
  return judge(good_but(change), least);
}

TEST(DeviceState, IsUsableWhenNothingSpeaksAgainstIt) {
  const DeviceState state = state_if([](DeviceAnswers&) {});
  EXPECT_EQ(state.kind, StateKind::usable);
  EXPECT_EQ(state.why, "");
}

TEST(DeviceState, IsAbsentWhereNobodyWouldExpectAGpu) {
  for (const auto& change : std::vector<std::function<void(DeviceAnswers&)>>{
           [](DeviceAnswers& answers) { answers.is_built = false; },
           [](DeviceAnswers& answers) { answers.driver_version = 0; },
           [](DeviceAnswers& answers) { answers.devices = 0; }}) {
    const DeviceState state = state_if(change);
    EXPECT_EQ(state.kind, StateKind::absent);
    EXPECT_THAT(state.why, testing::StartsWith("no GPU: "));
  }
}

TEST(DeviceState, NamesTheVariableThatHidesGpus) {
  const DeviceState state = state_if([](DeviceAnswers& answers) {
    answers.devices = 0;
    answers.visible = "CUDA_VISIBLE_DEVICES=7";
  });
  EXPECT_EQ(state.why, "no GPU: the driver shows none (CUDA_VISIBLE_DEVICES=7)");
}

TEST(DeviceState, TellsOldDriversFromThoseOfTheSameMajorVersion) {
  const DeviceState old = state_if([](DeviceAnswers& answers) { answers.driver_version = 12040; });
  EXPECT_EQ(old.kind, StateKind::refused);
  EXPECT_THAT(old.why, HasSubstr("the NVIDIA driver is too old: it knows CUDA 12.4"));
  EXPECT_THAT(old.why, HasSubstr("needs 13.0"));
  EXPECT_EQ(state_if([](DeviceAnswers& answers) { answers.runtime_version = 13020; }).kind,
            StateKind::usable);
}

TEST(DeviceState, RefusesOldDevicesByNameAndCapability) {
  const DeviceState old = state_if([](DeviceAnswers& answers) {
    answers.name = "NVIDIA GeForce GTX 1080";
    answers.capability = 61;
  });
  EXPECT_EQ(old.kind, StateKind::refused);
  EXPECT_EQ(old.why,
            "NVIDIA GeForce GTX 1080 is too old: its compute capability is 6.1, and 7.5 is needed");
}

TEST(DeviceState, SaysWhyNoContextCanBeMade) {
  const auto why = [](Context context) {
    const DeviceState state = state_if([&](DeviceAnswers& answers) {
      answers.context = context;
      answers.context_problem = "system not yet initialized";
    });
    EXPECT_EQ(state.kind, StateKind::refused);
    return state.why;
  };
  EXPECT_THAT(why(Context::device_is_taken),
              HasSubstr("NVIDIA T4 is busy: another process has it"));
  EXPECT_THAT(why(Context::no_memory), HasSubstr("NVIDIA T4 is busy: other processes have all"));
  EXPECT_EQ(why(Context::refused), "NVIDIA T4 cannot be used: system not yet initialized");
  EXPECT_THAT(state_if([](DeviceAnswers& answers) { answers.is_closed = true; }).why,
              HasSubstr("compute mode prohibited"));
}

TEST(DeviceState, PassesOnWhatTheDriverFailsWith) {
  const DeviceState state = state_if([](DeviceAnswers& answers) {
    answers.devices = 0;
    answers.count_problem = "driver mismatch";
  });
  EXPECT_EQ(state.kind, StateKind::refused);
  EXPECT_EQ(state.why, "the NVIDIA driver fails: driver mismatch");
}

TEST(DeviceState, WritesSizesAsPeopleDo) {
  EXPECT_EQ(gigabytes(12'300'000), "12.3 MB");
  EXPECT_EQ(gigabytes(84'936'450'048), "84.94 GB");
}

}  // namespace

}  // namespace hillock::solver
