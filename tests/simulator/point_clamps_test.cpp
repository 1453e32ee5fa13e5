// Electrodes in point neurons: the current of a step is what each form gives in its middle.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/errors/errors.hpp"
#include "tests/simulator/on_ranks.hpp"

namespace hillock::simulator {
namespace {

constexpr double step_ms = 0.25;
constexpr std::uint64_t clamped = 5;

models::Network recorded(models::CurrentClamp clamp, std::uint64_t begin = 0) {
  models::Network network;
  network.run.dt_ms = 0.125;
  network.run.steps = 160;
  network.run.duration_ms = 20;
  network.cells.push_back({"n", models::ArtificialCell{{"iaf_psc_exp", {}, {}}}, {}});
  network.populations.push_back({"p", 0, clamped, {}, {}, models::PointStep{step_ms, 2}});
  models::PopulationSlice to = whole(network);
  to.begin = begin;
  network.stimuli.push_back({"", to, std::move(clamp), {"model.yaml", 4, 5}});
  record(network, {models::RecordedVariable::Kind::mechanism_variable, "iaf_psc_exp", "I_stim", ""},
         {});
  network.recordings.back().every_ms = step_ms;
  return network;
}

/// expected(neuron, middle of a step)
void expect_current(const models::Network& network,
                    const std::function<double(std::uint64_t, double)>& expected) {
  const auto rows = simulate(network).reports.at(0);
  for (std::uint64_t n = 0; n < clamped; ++n)
    for (std::size_t step = 0; step < 79; ++step)
      EXPECT_NEAR(rows[(step + 1) * clamped + n],
                  expected(n, (static_cast<double>(step) + 0.5) * step_ms), 1e-9)
          << n << ' ' << step;
  EXPECT_EQ(simulate_on(network, {3}).sink.reports.at(0), rows);
}

models::Value of_index(const char* text) {
  return models::Value(std::get<Expression>(Expression::parse(text, Unit{}, {Variable::index})),
                       Place{});
}

TEST(PointClamps, InjectPulses) {
  models::CurrentClamp clamp;
  clamp.amplitude = of_index("100 + index");
  clamp.start_ms = of_index("index + 0.1");
  clamp.duration_ms = 2.0;
  expect_current(recorded(clamp), [](std::uint64_t n, double t) {
    const double since = t - static_cast<double>(n) - 0.1;
    return since >= 0 && since < 2 ? 100 + static_cast<double>(n) : 0;
  });
  clamp.start_ms = 3.0;
  clamp.period_ms = 5.0;
  clamp.count = 3.0;
  expect_current(recorded(clamp, 2), [](std::uint64_t n, double t) {
    const double since = std::fmod(t - 3, 5);
    return n >= 2 && t >= 3 && t < 18 && since < 2 ? 100 + static_cast<double>(n) : 0;
  });
}

TEST(PointClamps, InjectRamps) {
  models::CurrentClamp clamp;
  clamp.kind = models::CurrentClamp::Kind::ramp;
  clamp.amplitude = -50.0;
  clamp.final_amplitude = 150.0;
  clamp.start_ms = 4.0;
  clamp.duration_ms = 10.0;
  expect_current(recorded(clamp),
                 [](std::uint64_t, double t) { return t >= 4 && t < 14 ? -50 + (t - 4) * 20 : 0; });
}

TEST(PointClamps, InjectWaveformsAndAddUp) {
  models::CurrentClamp clamp;
  clamp.kind = models::CurrentClamp::Kind::waveform;
  clamp.waveforms = {{{2, 0}, {6, 40}, {6, 10}, {9, 10}}, {{0, 5}, {20, 5}}};
  clamp.which = of_index("floor(index / 3)");
  models::Network network = recorded(clamp);
  models::CurrentClamp pulse;
  pulse.amplitude = 7.0;
  pulse.duration_ms = 5.0;
  network.stimuli.push_back({"", whole(network), pulse, {}});
  expect_current(network, [](std::uint64_t n, double t) {
    const double drawn = t < 2 || t >= 9 ? 0 : t < 6 ? (t - 2) * 10 : 10;
    return (n < 3 ? drawn : 5) + (t < 5 ? 7 : 0);
  });
}

TEST(PointClamps, RefuseAWaveformThatIsNotThere) {
  models::CurrentClamp clamp;
  clamp.kind = models::CurrentClamp::Kind::waveform;
  clamp.waveforms = {{{0, 5}, {20, 5}}};
  clamp.which = of_index("index");
  EXPECT_THROW(simulate(recorded(clamp)), InvalidModel);
}

}  // namespace
}  // namespace hillock::simulator
