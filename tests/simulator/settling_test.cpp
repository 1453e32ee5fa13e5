// What decays without end becomes 0 before it is a denormal number, and nothing else changes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "mechanisms/settling.hpp"
#include "networks.hpp"

namespace hillock::simulator {
namespace {

/// Cells whose synapse gets one event at 1 ms and decays to 1e-60 of a uS within 10 ms.
models::Network silent_network(double tau_ms) {
  auto network = passive_network(9);
  models::EventSource source;
  source.source = models::SpikeTimes{{1}, {}};
  source.synapse = {{"expsyn", {{"tau", tau_ms}, {"e", 0.0}}, {}}, at("soma", 0.5)};
  source.weight = 0.001;
  network.stimuli.push_back({"", whole(network), source, {}});
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "expsyn", "g", "uS"},
         at("soma", 0.5));
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  return network;
}

TEST(Settling, ADecayingStateEndsAtZeroAndIsExactUntilThen) {
  const auto g = simulate(silent_network(0.05)).reports[0];
  const double decay = std::exp(-0.025 / 0.05);
  std::size_t zeros = 0;
  for (std::size_t step = 42; step < 400; ++step) {
    const double value = g[step * 9];
    const double expected = 0.001 * std::pow(decay, static_cast<double>(step - 40));
    if (value == 0) {
      ++zeros;
      EXPECT_LT(expected, mechanisms::negligible) << step;
    } else {
      // round-off: a product a step, each wrong by an eps or two; never a denormal number
      EXPECT_NEAR(value / expected, 1, 1e-12) << step;
      EXPECT_GT(value, std::numeric_limits<double>::min());
    }
  }
  EXPECT_GT(zeros, 0u);
  EXPECT_EQ(g.back(), 0);
}

TEST(Settling, DoesNotDependOnEpochsOrThreads) {
  const auto network = silent_network(0.05);
  const auto reference = simulate(network).reports;
  for (const std::int64_t epoch : {1, 7, 64, 65}) {
    SimulationOptions options;
    options.most_epoch_steps = epoch;
    options.threads = 3;
    EXPECT_EQ(simulate(network, options).reports, reference) << epoch;
  }
}

TEST(Settling, AVoltageThatDecaysToZeroGetsThere) {
  auto network = passive_network(3);
  auto& cell = std::get<models::CableCell>(network.cells[0].kind);
  cell.regions[0] = passive(1e-1, 0);  // 10 us: 1e-60 after 3 ms
  network.run.v_init_mV = -65;
  record(network, {models::RecordedVariable::Kind::voltage, "", "", "mV"}, at("soma", 0.5));
  const auto v = simulate(network).reports[0];
  EXPECT_EQ(v.back(), 0);
  for (const double value : v) EXPECT_TRUE(value == 0 || std::isnormal(value)) << value;
}

TEST(Settled, KeepsWhatIsNotNegligible) {
  using mechanisms::settled;
  for (const double x : {1.0, -1.0, 1e-59, -1e-59, 0.0, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(settled(x), x);
  EXPECT_EQ(settled(9e-61), 0);
  EXPECT_EQ(settled(-5e-324), 0);
  EXPECT_TRUE(std::isnan(settled(std::nan(""))));
}

}  // namespace
}  // namespace hillock::simulator
