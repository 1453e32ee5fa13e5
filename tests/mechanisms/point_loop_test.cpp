// The loop over point neurons: that a step of it is the mechanism's `advance` on the sums that
// arrive, in every instruction set and number of lanes, whatever differs between neurons.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/random/random.hpp"
#include "core/simd/lane_array.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/emitted/all.hpp"
#include "mechanisms/single_instance.hpp"

namespace hillock::mechanisms {
namespace {

constexpr std::size_t neurons = 21, steps = 400;
constexpr double dt_ms = 0.5, spacing = 0x1p-20;

/// Neurons of one mechanism, with columns for as many as fill their lanes.
struct Neurons {
  Neurons(const Mechanism& mechanism, int lanes, Isa isa, bool differ)
      : info(*mechanism.info), kernels(mechanism.kernels(lanes, isa)) {
    const auto width = static_cast<std::size_t>(lanes);
    block.lanes = width;
    block.count = (neurons + width - 1) / width;
    columns.resize(static_cast<std::size_t>(info.count()) * size());
    block.columns = columns.data();
    for (int c = 0; c < info.parameters; ++c)
      for (std::size_t n = 0; n < size(); ++n)
        column(c)[n] = info.variables[c].default_value * (differ ? 1 + 0.001 * (n % 5) : 1);
    kernels.initialise(block, {0, dt_ms, 6.3}, nullptr);
    for (int c = 0; c < info.first_state(); ++c)
      if (!std::all_of(column(c), column(c) + size(), [&](double x) { return x == *column(c); }))
        differing.push_back(c);
    if (info.injected >= 0) differing.push_back(info.injected);
  }
  Neurons(const Neurons& other)
      : info(other.info),
        kernels(other.kernels),
        block(other.block),
        columns(other.columns),
        differing(other.differing) {
    block.columns = columns.data();
  }
  std::size_t size() const { return block.count * block.lanes; }
  double* column(int c) {
    const int states = info.states, state = c - info.first_state();
    return columns.data() + static_cast<std::size_t>(state >= 0 ? state : states + c) * size();
  }
  double* of(int variable, std::size_t n) { return variable < 0 ? nullptr : column(variable) + n; }

  const MechanismInfo& info;
  const CpuKernels& kernels;
  InstanceBlock block;
  LaneArray columns;
  std::vector<int> differing;
};

/// What comes in a step.
struct Input {
  std::vector<long long> sums[2];
  std::vector<double> current;
};
Input input_of(std::size_t step, std::size_t size) {
  RandomStream draw(3, Purpose::stimulus, {step, 0, 0});
  Input input;
  for (std::size_t n = 0; n < size; ++n) {
    const bool arrives = n < neurons && draw.uniform() < 0.3;
    input.sums[0].push_back(arrives ? static_cast<long long>(draw.below(1 << 26)) : 0);
    input.sums[1].push_back(arrives ? -static_cast<long long>(draw.below(1 << 22)) : 0);
    input.current.push_back(n < neurons ? draw.uniform() : 0);
  }
  return input;
}

/// `advance` of every neuron of a block of one lane, without any loop of ours.
void advance_one_by_one(const Mechanism& mechanism, const InstanceBlock& block,
                        const KernelTime& time) {
  const auto of = [&]<class E>(const E*) {
    if constexpr (E::info.is_point_neuron)
      for (std::size_t n = 0; n < block.count && mechanism.info == &E::info; ++n) {
        loops::Single<E, 1> neuron(block, n, 0);
        E::template advance<double>(neuron.variables, neuron.at(time, nullptr));
        neuron.store();
      }
  };
  [&]<class... E>(Evaluators<E...>) {
    (of(static_cast<const E*>(nullptr)), ...);
  }(BuiltinEvaluators{});
}

class PointLoop : public testing::TestWithParam<std::string> {
 protected:
  const Mechanism& mechanism() const {
    return *std::ranges::find(catalogue(), GetParam(),
                              [](const Mechanism& one) { return one.signature.name; });
  }
};

TEST_P(PointLoop, StepsAsAdvanceDoesOnWhatArrives) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    for (const int lanes : {1, 4, 8})
      for (const bool differ : {false, true}) {
        if (!is_available(isa)) continue;
        Neurons one(mechanism(), lanes, isa, differ), reference(mechanism(), 1, isa, differ);
        const MechanismInfo& info = one.info;
        std::vector<std::uint32_t> spiked(one.size());
        std::size_t all = 0;
        const double enough = GetParam() == "izhikevich" ? 40 : 2000;  // for spikes; pA
        for (std::size_t step = 0; step < steps; ++step) {
          Input input = input_of(step, one.size());
          const KernelTime time{dt_ms * static_cast<double>(step + 1), dt_ms, 6.3};
          for (std::size_t n = 0; n < neurons; ++n) {
            if (info.injected >= 0)
              *one.of(info.injected, n) = *reference.of(info.injected, n) =
                  input.current[n] * enough;
            if (double* to = reference.of(info.input, n))
              *to = static_cast<double>(input.sums[0][n]) * spacing;
            if (double* to = reference.of(info.negative_input, n))
              *to = static_cast<double>(input.sums[1][n]) * spacing;
          }
          const PointStepOutcome result =
              one.kernels.step(one.block, time,
                               {.neurons = neurons,
                                .sums = {input.sums[0].data(), input.sums[1].data()},
                                .spacing = spacing,
                                .differing = one.differing.data(),
                                .differing_count = one.differing.size(),
                                .settles = step % 64 == 63,
                                .is_checked = true},
                               spiked.data());
          advance_one_by_one(mechanism(), reference.block, time);
          std::vector<std::uint32_t> expected;
          for (std::uint32_t n = 0; n < neurons; ++n)
            if (*reference.of(info.spike, n) != 0) expected.push_back(n);
          ASSERT_EQ(std::vector(spiked.begin(),
                                spiked.begin() + static_cast<std::ptrdiff_t>(result.spikes)),
                    expected);
          ASSERT_TRUE(result.is_finite);
          all += result.spikes;
          for (std::size_t n = 0; n < neurons; ++n) {
            ASSERT_EQ(input.sums[0][n], 0);
            if (info.negative_input >= 0) {
              ASSERT_EQ(input.sums[1][n], 0);
            }
          }
        }
        EXPECT_GT(all, 0u);
        for (int c = 0; c < info.count(); ++c)
          for (std::size_t n = 0; n < neurons; ++n)
            EXPECT_EQ(one.column(c)[n], reference.column(c)[n]) << info.variables[c].name;
      }
}

TEST_P(PointLoop, LetsWhatDecaysEndWhereItIsAsked) {
  const auto after_a_step = [&](Neurons some, double tiny, bool settles) {
    const MechanismInfo& info = some.info;
    for (int c = info.first_state(); c < info.count(); ++c) {
      if (c == info.injected || c == info.input || c == info.negative_input) continue;
      for (std::size_t n = 0; n < neurons; ++n) some.column(c)[n] = n % 2 == 0 ? tiny : -tiny;
    }
    if (GetParam() == "izhikevich")  // u stays as it is without a and d
      for (const int c : {0, 3}) std::fill_n(some.column(c), some.size(), 0);
    std::vector<long long> none[2] = {std::vector<long long>(some.size()),
                                      std::vector<long long>(some.size())};
    std::vector<std::uint32_t> spiked(some.size());
    some.kernels.step(some.block, {dt_ms, dt_ms, 6.3},
                      {.neurons = neurons,
                       .sums = {none[0].data(), none[1].data()},
                       .spacing = spacing,
                       .differing = some.differing.data(),
                       .differing_count = some.differing.size(),
                       .settles = settles},
                      spiked.data());
    return some.columns;
  };
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    for (const int lanes : {1, 4, 8}) {
      if (!is_available(isa)) continue;
      const Neurons some(mechanism(), lanes, isa, false);
      const LaneArray ended = after_a_step(some, 0, false);
      EXPECT_EQ(after_a_step(some, 1e-61, true), ended);
      EXPECT_NE(after_a_step(some, 1e-61, false), ended);
      EXPECT_NE(after_a_step(some, 1e-59, true), ended);
    }
}

TEST_P(PointLoop, SaysWhenANumberIsNotFiniteWhereItIsAsked) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    for (const int lanes : {1, 4, 8}) {
      if (!is_available(isa)) continue;
      Neurons some(mechanism(), lanes, isa, false);
      Input input = input_of(0, some.size());
      std::vector<std::uint32_t> spiked(some.size());
      PointStepWork step{.neurons = neurons,
                         .sums = {input.sums[0].data(), input.sums[1].data()},
                         .spacing = spacing,
                         .differing = some.differing.data(),
                         .differing_count = some.differing.size()};
      some.column(some.info.first_state() + 1)[neurons - 1] =
          std::numeric_limits<double>::quiet_NaN();
      EXPECT_TRUE(
          some.kernels.step(some.block, {dt_ms, dt_ms, 6.3}, step, spiked.data()).is_finite);
      step.is_checked = true;
      EXPECT_FALSE(
          some.kernels.step(some.block, {2 * dt_ms, dt_ms, 6.3}, step, spiked.data()).is_finite);
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PointLoop,
                         testing::Values("izhikevich", "iaf_psc_exp", "iaf_psc_alpha",
                                         "iaf_psc_delta", "iaf_cond_exp", "iaf_cond_alpha",
                                         "aeif_cond_exp"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace hillock::mechanisms
