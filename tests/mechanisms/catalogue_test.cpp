// Every built-in mechanism through its loops: derivatives, lanes, steady states, events.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/random/random.hpp"
#include "mechanisms/registry.hpp"

namespace hillock::mechanisms {
namespace {

/// One instance a lane, all on node 0, with the signature's defaults.
struct Bench {
  Bench(const Mechanism& mechanism, int lanes, Isa isa = active_isa(),
        Arithmetic arithmetic = Arithmetic::of_doubles)
      : kernels(&mechanism.kernels(lanes, isa, arithmetic)),
        arguments(static_cast<std::size_t>(mechanism.info->arguments)) {
    const auto& variables = mechanism.signature.variables;
    const auto width = static_cast<std::size_t>(lanes);
    const auto first_state = static_cast<std::size_t>(mechanism.info->first_state());
    for (std::size_t c = 0; c < variables.size(); ++c)  // states come first
      columns.insert(columns.end(), width,
                     variables[(c + first_state) % variables.size()].default_value);
    const bool point = mechanism.signature.kind == MechanismKind::point_process;
    nodes.assign(point ? width : 1, 0);
    area.assign(1, 1.0);
    v.assign(width, -65);
    differing.resize(first_state);
    std::iota(differing.begin(), differing.end(), 0);
    if (mechanism.info->injected >= 0) differing.push_back(mechanism.info->injected);
    block = {width, 1, columns.data(), nodes.data(), area.data()};
  }
  double& at(const Mechanism& mechanism, const std::string& name, std::size_t lane = 0) {
    const auto lanes = static_cast<std::size_t>(kernels->lanes);
    const auto column = static_cast<std::size_t>(mechanism.column(name) + mechanism.info->states);
    return columns[column % mechanism.signature.variables.size() * lanes + lane];
  }
  /// The current out of the membrane and its slope, lane 0.
  std::pair<double, double> flow(double time_ms) {
    LaneArray d(v.size(), 0), b(v.size(), 0);
    kernels->current(block, {time_ms, 0.025, 6.3}, v.data(), d.data(), b.data());
    return {d[0] * v[0] - b[0], d[0]};
  }
  /// Integrates to the end of a step; of point neurons a whole one.
  void advance(const KernelTime& end) {
    if (kernels->advances) kernels->advance(block, end, v.data());
    if (!kernels->step) return;
    PointStepWork work{.neurons = v.size(), .sums = {sums[0], sums[1]}, .spacing = spacing};
    work.differing = differing.data();
    work.differing_count = differing.size();
    std::uint32_t spiked[8];
    kernels->step(block, end, work, spiked);
  }
  /// Adds to the rows of all lanes, and keeps what can be recorded.
  void flow_and_store(const KernelTime& now, double* diagonal, double* rhs) {
    if (kernels->turn) kernels->current(block, now, v.data(), diagonal, rhs, true);
  }
  /// Delivers an event of that weight, whose other arguments are 0.
  void receive(int lane, double weight, double time_ms) {
    if (kernels->step) {
      sums[0][lane] += std::llround(weight / spacing);
      return;
    }
    std::ranges::fill(arguments, 0);
    arguments.at(0) = weight;
    Delivery event;
    event.arguments = arguments.data();
    kernels->receive(block, 0, lane, {time_ms, 0.025, 6.3}, v.data(), event);
  }
  const CpuKernels* kernels;
  std::vector<double> arguments;  ///< of NET_RECEIVE
  /// Of point neurons: sums of what arrives, and every column that a step does not change.
  static constexpr double spacing = 0.001;
  long long sums[2][8] = {};
  std::vector<int> differing;
  LaneArray columns, area, v;
  std::vector<int> nodes;
  InstanceBlock block;
};

class EveryMechanism : public testing::TestWithParam<std::size_t> {
 protected:
  const Mechanism& mechanism() const { return catalogue()[GetParam()]; }
};

class EveryMechanismOfACell : public EveryMechanism {};
class EveryPointNeuron : public EveryMechanism {};

TEST_P(EveryMechanismOfACell, SlopeIsTheDerivativeOfTheCurrent) {
  Bench bench(mechanism(), 1);
  for (const auto& variable : mechanism().signature.variables)
    if (variable.unit_text == "uS") bench.at(mechanism(), variable.name) = 0.01;
  if (mechanism().signature.name == "seclamp") bench.at(mechanism(), "stop") = 10;
  bench.kernels->initialise(bench.block, {0, 0.025, 6.3}, bench.v.data());
  if (bench.kernels->receive) bench.receive(0, 0.02, 0);
  for (const double v : {-90.0, -60.0, -40.0, 10.0}) {
    // The current is linear in v at fixed states: a wide difference is exact up to round-off.
    bench.v[0] = v + 1;
    const double high = bench.flow(1).first;
    bench.v[0] = v - 1;
    const double low = bench.flow(1).first;
    bench.v[0] = v;
    EXPECT_NEAR(bench.flow(1).second, (high - low) / 2, 1e-12) << v;
  }
}

TEST_P(EveryMechanism, LanesAreBitIdenticalToScalars) {
  Bench wide(mechanism(), 8);
  std::vector<Bench> single;
  RandomStream draw(5, Purpose::stimulus, {});
  for (std::size_t l = 0; l < 8; ++l) {
    single.emplace_back(mechanism(), 1);
    single[l].block = {1, 1, single[l].columns.data(), single[l].nodes.data(),
                       single[l].area.data()};
    wide.v[l] = single[l].v[0] = -100 + 140 * draw.uniform();
  }
  // Point processes of one block sit on the same node in different lanes.
  const KernelTime time{0.3, 0.025, 20};
  wide.kernels->initialise(wide.block, time, wide.v.data());
  LaneArray d(8, 0), b(8, 0);
  wide.flow_and_store(time, d.data(), b.data());
  wide.advance(time);
  for (std::size_t l = 0; l < 8; ++l) {
    Bench& one = single[l];
    double d1 = 0, b1 = 0;
    one.kernels->initialise(one.block, time, one.v.data());
    one.flow_and_store(time, &d1, &b1);
    one.advance(time);
    EXPECT_EQ(d[l], d1);
    EXPECT_EQ(b[l], b1);
    for (std::size_t c = 0; c < mechanism().signature.variables.size(); ++c)
      EXPECT_EQ(wide.columns[c * 8 + l], one.columns[c]) << c;
  }
}

enum class Lanes { equal, differ };

/// A few steps of 8 lanes at voltages that wander: everything that they leave behind.
LaneArray wander(const Mechanism& mechanism, Isa isa, bool fused, bool uniform, bool aligned,
                 Lanes lanes = Lanes::equal, Arithmetic arithmetic = Arithmetic::of_doubles) {
  Bench bench(mechanism, 8, isa, arithmetic);
  bench.block.uniform = uniform;
  bench.block.lanes_differ = lanes == Lanes::differ;
  for (const MechanismVariable& variable : mechanism.signature.variables) {
    if (variable.role != VariableRole::parameter || variable.is_pointer) continue;
    double* const column = &bench.at(mechanism, variable.name);
    for (int l = 0; l < 8 && lanes == Lanes::differ; ++l) column[l] *= 1 + 0.01 * l;
  }
  bench.block.aligned = aligned;
  RandomStream draw(11, Purpose::stimulus, {});
  const auto move = [&] {
    for (double& v : bench.v) v = -110 + 160 * draw.uniform();
  };
  move();
  const KernelTime start{0, 0.025, 20};
  bench.kernels->initialise(bench.block, start, bench.v.data());
  LaneArray d(8, 0), b(8, 0);
  for (int step = 0; step < 50; ++step) {
    const KernelTime end{0.025 * (step + 1), 0.025, 20}, next{0.025 * step + 0.0375, 0.025, 20};
    if (bench.kernels->receive) bench.receive(step % 8, 0.01 * (step % 5), end.time_ms);
    const int injected = mechanism.info->injected;  // enough for spikes
    for (std::size_t l = 0; l < 8 && injected >= 0; ++l)
      bench.at(mechanism, mechanism.info->variables[injected].name, l) = 4e4 * draw.uniform();
    move();
    if (fused && bench.kernels->advances) {
      bench.kernels->turn(bench.block, asks::advance | asks::flow, end, next, bench.v.data(),
                          d.data(), b.data());
    } else {
      bench.advance(end);
      if (bench.kernels->turn)
        bench.kernels->current(bench.block, next, bench.v.data(), d.data(), b.data());
    }
  }
  LaneArray all = bench.columns;
  all.insert(all.end(), d.begin(), d.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

TEST_P(EveryMechanism, InstructionSetsAndFusedPassesChangeNoBit) {
  const LaneArray expected = wander(mechanism(), Isa::baseline, false, false, false);
  const bool is_point = mechanism().signature.kind == MechanismKind::point_process;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    EXPECT_EQ(wander(mechanism(), isa, false, false, is_point), expected) << name_of(isa);
    EXPECT_EQ(wander(mechanism(), isa, true, false, false), expected) << name_of(isa);
    if (!is_point) {
      EXPECT_EQ(wander(mechanism(), isa, true, true, false), expected) << name_of(isa);
    }
  }
}

TEST_P(EveryMechanism, ParametersOfALaneAreItsOwnWhereTheyAreKeptOnce) {
  const bool is_point = mechanism().signature.kind == MechanismKind::point_process;
  const LaneArray expected = wander(mechanism(), Isa::baseline, false, false, false, Lanes::differ);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    EXPECT_EQ(wander(mechanism(), isa, false, true, is_point, Lanes::differ), expected)
        << name_of(isa);
    EXPECT_EQ(wander(mechanism(), isa, true, true, false, Lanes::differ), expected) << name_of(isa);
  }
}

TEST_P(EveryMechanism, WithFloatsHasTheSameBitsEverywhereAndAlmostTheSameNumbers) {
  const bool is_point = mechanism().signature.kind == MechanismKind::point_process;
  const auto mixed = [&](Isa isa, bool fused, bool uniform) {
    return wander(mechanism(), isa, fused, uniform, is_point, Lanes::equal, Arithmetic::mixed);
  };
  const LaneArray expected = mixed(Isa::baseline, false, false);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) continue;
    EXPECT_EQ(mixed(isa, false, false), expected) << name_of(isa);
    EXPECT_EQ(mixed(isa, true, !is_point), expected) << name_of(isa);
  }
  const LaneArray doubles = wander(mechanism(), active_isa(), false, false, is_point);
  const bool is_same =
      mechanism().kernels(8).turn == mechanism().kernels(8, active_isa(), Arithmetic::mixed).turn;
  if (is_same) {  // point processes, constant ones, those of doubles
    EXPECT_EQ(doubles, expected);
  }
  const std::size_t rhs = doubles.size() - 8,
                    states = 8U * static_cast<unsigned>(mechanism().info->states);
  for (std::size_t i = 0; i < doubles.size(); ++i) {
    // Gates are rounded beside 1, the right-hand side beside g·v, of which it is a difference.
    const double beside = i < rhs ? std::abs(doubles[i]) : 100 * std::abs(doubles[i - 8]);
    EXPECT_NEAR(expected[i], doubles[i], 3e-5 * std::max(beside, 0.03)) << i;
    if (!is_same && i < states) {
      EXPECT_EQ(expected[i], static_cast<double>(static_cast<float>(expected[i]))) << i;
    }
  }
}

TEST_P(EveryMechanismOfACell, StatesStayAtRestAtTheInitialVoltage) {
  Bench bench(mechanism(), 1);
  const KernelTime time{0, 0.025, 6.3};
  bench.kernels->initialise(bench.block, time, bench.v.data());
  const LaneArray before = bench.columns;
  for (int i = 0; i < 100; ++i) bench.advance(time);
  for (std::size_t c = 0; c < before.size(); ++c) EXPECT_NEAR(bench.columns[c], before[c], 1e-14);
}

TEST_P(EveryPointNeuron, NeedsNeitherNodesNorVoltages) {
  for (const int lanes : {1, 4, 8}) {
    Bench bench(mechanism(), lanes);
    bench.block.nodes = nullptr;
    const KernelTime time{0, 0.1, 6.3};
    bench.kernels->initialise(bench.block, time, nullptr);
    double weight = 3;
    Delivery event;
    event.arguments = &weight;
    bench.kernels->receive(bench.block, 0, 0, time, nullptr, event);
    const int input = mechanism().info->input;
    double& sum = bench.at(mechanism(), mechanism().info->variables[input].name);
    EXPECT_EQ(sum, weight);
    sum = 0;  // a step takes what arrives from sums
    bench.receive(0, weight, 0);
    EXPECT_NE(bench.sums[0][0], 0);
    bench.advance(time);
    EXPECT_EQ(bench.sums[0][0], 0);
    EXPECT_EQ(sum, 0);
  }
}

std::string name_of(const testing::TestParamInfo<std::size_t>& test) {
  return catalogue()[test.param].signature.name;
}

std::vector<std::size_t> those_that(bool are_point_neurons) {
  std::vector<std::size_t> numbers;
  for (std::size_t m = 0; m < catalogue().size(); ++m)
    if (catalogue()[m].info->is_point_neuron == are_point_neurons) numbers.push_back(m);
  return numbers;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMechanism,
                         testing::Range(std::size_t{0}, catalogue().size()), name_of);
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMechanismOfACell, testing::ValuesIn(those_that(false)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryPointNeuron, testing::ValuesIn(those_that(true)), name_of);

TEST(Hh, RestsWhereHodgkinAndHuxleysConstantsSay) {
  const Mechanism& hh = *Registry().find("hh");
  Bench bench(hh, 1);
  bench.kernels->initialise(bench.block, {0, 0.025, 6.3}, bench.v.data());
  // By hand from the 1952 rate functions at -65 mV: am = 0.1·25/(e^2.5 - 1), bm = 4, and so on.
  const double am = 2.5 / (std::exp(2.5) - 1), ah = 0.07, bh = 1 / (std::exp(3.0) + 1);
  const double an = 0.1 / (std::exp(1.0) - 1), bn = 0.125;
  EXPECT_NEAR(bench.at(hh, "m"), am / (am + 4), 1e-15);
  EXPECT_NEAR(bench.at(hh, "h"), ah / (ah + bh), 1e-15);
  EXPECT_NEAR(bench.at(hh, "n"), an / (an + bn), 1e-15);
}

TEST(Hh, SingularVoltagesOfTheRatesAreContinuous) {
  const Mechanism& hh = *Registry().find("hh");
  for (const double v : {-40.0, -55.0}) {
    Bench at(hh, 1), beside(hh, 1);
    at.v[0] = v;
    beside.v[0] = v + 1e-7;
    at.kernels->initialise(at.block, {0, 0.025, 6.3}, at.v.data());
    beside.kernels->initialise(beside.block, {0, 0.025, 6.3}, beside.v.data());
    for (const char* gate : {"m", "h", "n"}) {
      EXPECT_TRUE(std::isfinite(at.at(hh, gate)));
      EXPECT_NEAR(at.at(hh, gate), beside.at(hh, gate), 1e-8);
    }
  }
}

TEST(Exp2syn, PeakOfOneEventIsTheWeight) {
  const Mechanism& synapse = *Registry().find("exp2syn");
  Bench bench(synapse, 1);
  bench.at(synapse, "tau1") = 2;
  bench.at(synapse, "tau2") = 5;
  const double dt = 0.001;
  bench.kernels->initialise(bench.block, {0, dt, 6.3}, bench.v.data());
  bench.receive(0, 0.3, 0);
  double peak = 0;
  for (int i = 0; i < 20000; ++i) {
    bench.kernels->advance(bench.block, {0, dt, 6.3}, bench.v.data());
    peak = std::max(peak, bench.at(synapse, "B") - bench.at(synapse, "A"));
  }
  EXPECT_NEAR(peak, 0.3, 1e-7);  // the peak lies within half a step of a sample
}

TEST(Expsyn, DecaysByItsTimeConstant) {
  const Mechanism& synapse = *Registry().find("expsyn");
  Bench bench(synapse, 1);
  bench.at(synapse, "tau") = 2;
  bench.kernels->initialise(bench.block, {0, 0.025, 6.3}, bench.v.data());
  bench.receive(0, 0.5, 0);
  for (int i = 0; i < 80; ++i) bench.kernels->advance(bench.block, {0, 0.025, 6.3}, bench.v.data());
  EXPECT_NEAR(bench.at(synapse, "g"), 0.5 * std::exp(-1.0), 1e-14);
}

TEST(Iclamp, StepsTrainsAndRampsAreOnWhereTheyShouldBe) {
  const Mechanism& clamp = *Registry().find("iclamp");
  Bench bench(clamp, 1);
  const auto current = [&](double time) { return -bench.flow(time).first; };
  bench.at(clamp, "amplitude") = 2;
  bench.at(clamp, "start") = 5;
  bench.at(clamp, "duration") = 3;
  EXPECT_EQ(current(4.99), 0);
  EXPECT_EQ(current(5), 2);
  EXPECT_EQ(current(7.99), 2);
  EXPECT_EQ(current(8), 0);
  bench.at(clamp, "period") = 10;
  bench.at(clamp, "count") = 3;
  EXPECT_EQ(current(9), 0);
  EXPECT_EQ(current(16), 2);
  EXPECT_EQ(current(27.5), 2);
  EXPECT_EQ(current(36), 0);
  bench.at(clamp, "slope") = 1;
  EXPECT_DOUBLE_EQ(current(26.5), 3.5);
  bench.at(clamp, "count") = 0;
  EXPECT_EQ(current(6), 0);
}

}  // namespace
}  // namespace hillock::mechanisms
