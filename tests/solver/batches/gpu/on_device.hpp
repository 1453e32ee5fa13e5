#pragma once
// The check for a device that every GPU test begins with.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "solver/cuda/device.hpp"

namespace hillock::solver {

/// Skips a test where there is no GPU; with REQUIRE_GPU=1 it fails.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() > 0) return;
    const char* required = std::getenv("REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1")
      FAIL() << "REQUIRE_GPU=1 and " << describe_device();
    GTEST_SKIP() << describe_device();
  }
};

}  // namespace hillock::solver
