#include "simulator/output/voltage_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"

namespace hillock::simulator {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

/// Every 0.1 ms from 0 to 40: -70 mV, from 10 on -60, and spikes that rise from it by 100 mV in 1
/// ms and fall to -75 in 1.5.
std::vector<double> times() {
  std::vector<double> all;
  for (int i = 0; i <= 400; ++i) all.push_back(0.1 * i);
  return all;
}
std::vector<double> trace(const std::vector<double>& spikes_ms) {
  std::vector<double> all;
  for (const double t : times()) {
    double v = t < 10 ? -70 : -60;
    for (const double spike : spikes_ms) {
      const double after = t - spike;
      if (after >= 0 && after <= 1) v = -60 + 100 * after;
      if (after > 1 && after <= 2.5) v = 40 - 115 * (after - 1) / 1.5;
      if (after > 2.5 && after <= 5) v = -75 + 15 * (after - 2.5) / 2.5;
    }
    all.push_back(v);
  }
  return all;
}

double feature(const std::string& name, const std::vector<double>& mV) {
  VoltageFeatures features(times(), {name}, {10, 30});
  double value = 0;
  features.find(mV, {&value, 1});
  return value;
}

TEST(VoltageFeatures, OfTwoSpikes) {
  const std::vector<double> v = trace({12, 20});
  EXPECT_EQ(feature("Spikecount", v), 2);
  EXPECT_THAT(feature("time_to_first_spike", v), DoubleNear(3, 1e-9));
  EXPECT_THAT(feature("mean_frequency", v), DoubleNear(2000.0 / 11, 1e-9));
  EXPECT_THAT(feature("voltage_base", v), DoubleNear(-69.1, 0.2));
  EXPECT_THAT(feature("steady_state_voltage", v), DoubleNear(-60, 1e-9));
  EXPECT_THAT(feature("minimum_voltage", v), DoubleNear(-75, 1e-9));
  EXPECT_THAT(feature("maximum_voltage", v), DoubleNear(40, 1e-9));
  EXPECT_THAT(feature("AHP_depth", v), DoubleNear(-75 - feature("voltage_base", v), 1e-9));
  EXPECT_THAT(feature("AP_amplitude", v), DoubleNear(100, 10.1));
  EXPECT_THAT(feature("AP_duration_half_width", v), DoubleNear(0.5 + 0.65, 0.11));
}

TEST(VoltageFeatures, WhatThereIsNoneOfIsNotANumber) {
  const std::vector<double> v = trace({});
  EXPECT_EQ(feature("Spikecount", v), 0);
  for (const char* name : {"time_to_first_spike", "mean_frequency", "AHP_depth", "AP_amplitude",
                           "AP_duration_half_width"})
    EXPECT_TRUE(std::isnan(feature(name, v))) << name;
}

TEST(VoltageFeatures, ValuesComeInTheOrderOfNames) {
  VoltageFeatures features(times(), {"maximum_voltage", "Spikecount"}, {10, 30});
  std::vector<double> values(2);
  features.find(trace({12}), values);
  EXPECT_THAT(values[0], DoubleNear(40, 1e-9));
  EXPECT_EQ(values[1], 1);
  features.find(trace({}), values);  // nothing is left of the trace before
  EXPECT_EQ(values[0], -60);
  EXPECT_EQ(values[1], 0);
}

TEST(VoltageFeatures, WhatIsWrongIsTold) {
  const auto message = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([] { VoltageFeatures(times(), {"spikes"}, {}); }),
              HasSubstr("no feature 'spikes' is known. Known: AHP_depth, AP_amplitude"));
  EXPECT_THAT(message([] {
                VoltageFeatures({0, 1}, {"Spikecount"}, {});
              }),
              HasSubstr("three samples"));
  EXPECT_THAT(message([] {
                VoltageFeatures({0, 1, 1}, {"Spikecount"}, {});
              }),
              HasSubstr("in the order of time"));
  EXPECT_THAT(message([] {
                VoltageFeatures(times(), {"Spikecount"}, {20, 10});
              }),
              HasSubstr("begins at 20 ms and ends at 10 ms"));
}

}  // namespace
}  // namespace hillock::simulator
