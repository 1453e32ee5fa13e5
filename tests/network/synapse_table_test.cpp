// Connections onto neurons that add up their input: every spike comes to the neurons, at the steps
// and with the weights that the connections say, however these are packed and whatever the order.

#include "network/propagation/synapse_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "core/random/random.hpp"
#include "network/propagation/input_ring.hpp"

namespace hillock::network {
namespace {

constexpr double dt_ms = 0.1;
constexpr std::uint64_t first_source = 1000;

struct Synapse {
  std::uint32_t source, target;
  double weight;
  std::int64_t delay;
};

struct Shape {
  std::uint64_t sources = 20, neurons = 7;
  std::int64_t longest = 300;
  bool one_weight = false, one_delay = false;
  double largest = 4;
};

std::vector<Synapse> draw(const Shape& shape, std::size_t count) {
  RandomStream draws(shape.neurons, Purpose::stimulus, {static_cast<std::uint64_t>(shape.longest)});
  std::vector<Synapse> synapses;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = shape.largest * (2 * draws.uniform() - 1);
    const auto delay =
        1 + static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(shape.longest)));
    synapses.push_back({static_cast<std::uint32_t>(draws.below(shape.sources)),
                        static_cast<std::uint32_t>(draws.below(shape.neurons)),
                        shape.one_weight ? -1.5 : weight, shape.one_delay ? 3 : delay});
  }
  return synapses;
}

FanInTable fan_in(const Shape& shape, std::span<const Synapse> synapses,
                  std::uint32_t first_neuron) {
  FanInDraft draft;
  for (const Synapse& s : synapses)
    draft.add(s.source, {s.target - first_neuron, FanIn::no_slot, s.weight,
                         static_cast<double>(s.delay) * dt_ms});
  return {0, first_source, shape.sources, draft.sorted(shape.sources), 0};
}

SynapseTable table_of(const Shape& shape, const std::vector<Synapse>& synapses, const SumGrid& grid,
                      int least_bits = 16) {
  const FanInTable all = fan_in(shape, synapses, 0);
  const SynapsePart part{&all, 0};
  return {{&part, 1}, shape.neurons, {dt_ms}, grid, shape.largest, least_bits, one_by_one};
}

/// (step, neuron, channel) -> sum
using Sums = std::map<std::tuple<std::int64_t, std::uint32_t, std::size_t>, std::int64_t>;

constexpr std::int64_t first = 50, last = 60;

/// A spike of every source in steps [first, last), and some of cells that are none.
std::vector<CellSpike> spikes_of(const Shape& shape) {
  std::vector<CellSpike> spikes{{5.5, CellId(3)}, {5.5, CellId(first_source + shape.sources)}};
  for (std::int64_t step = first; step < last; ++step)
    for (std::uint64_t s = 0; s < shape.sources; ++s)
      if ((static_cast<std::uint64_t>(step) + s) % 3 == 0)
        spikes.push_back({static_cast<double>(step) * dt_ms, CellId(first_source + s)});
  return spikes;
}

Sums expected(const Shape& shape, const std::vector<Synapse>& synapses, const SumGrid& grid,
              std::size_t channels, std::int64_t first_step) {
  Sums sums;
  const int shift = grid.shift_for(shape.largest);
  for (std::int64_t step = first; step < last; ++step)
    for (const Synapse& s : synapses) {
      if ((static_cast<std::uint64_t>(step) + s.source) % 3 != 0) continue;
      if (step + s.delay < first_step) continue;
      const auto weight =
          std::llrint(std::ldexp(s.weight / grid.spacing(), -shift)) * (1ll << shift);
      sums[{step + s.delay, s.target, channels > 1 && weight < 0}] += weight;
    }
  std::erase_if(sums, [](const auto& sum) { return sum.second == 0; });
  return sums;
}

Sums passed(const SynapseTable& table, const Shape& shape, std::span<const CellSpike> spikes,
            std::size_t channels, std::int64_t first_step) {
  InputRing ring(shape.neurons, channels);
  ring.reach(last - first + table.longest_steps());
  table.pass(spikes, dt_ms, first_step, ring.view());
  Sums sums;
  for (std::int64_t step = first; step < first + static_cast<std::int64_t>(ring.slots()); ++step)
    for (std::size_t channel = 0; channel < channels; ++channel)
      for (std::uint32_t n = 0; n < shape.neurons; ++n)
        if (const Sum sum = ring.sums(step, channel)[n]; sum != 0) sums[{step, n, channel}] = sum;
  return sums;
}

TEST(SynapseTable, SoonSynapsesMayLieFirstAndAllStayWithTheirWeights) {
  for (const int least_bits : {16, 32})
    for (const bool one_weight : {false, true}) {
      Shape shape;
      shape.longest = 4;  // half of them are soon
      shape.one_weight = one_weight;
      const SumGrid grid(shape.largest);
      const std::vector<Synapse> synapses = draw(shape, 500);
      SynapseTable table = table_of(shape, synapses, grid, least_bits);
      const std::vector<std::uint32_t> first_of = table.first_of_sources();
      const std::vector<std::uint32_t> others = table.put_soon_first(2, one_by_one);
      table.with_view([&](const auto& view) {
        std::size_t soon = 0;
        for (std::size_t s = 0; s < shape.sources; ++s)
          for (std::uint32_t e = first_of[s]; e < first_of[s + 1]; ++e) {
            EXPECT_EQ(e < others[s], view.delay(e) <= 2);
            soon += e < others[s];
          }
        EXPECT_GT(soon, 50u);
      });
      EXPECT_EQ(passed(table, shape, spikes_of(shape), 2, 0),
                expected(shape, synapses, grid, 2, 0));
    }
}

TEST(SynapseTable, BringsEverySpikeToItsTargetsAtTheirSteps) {
  for (const bool one_weight : {false, true})
    for (const bool one_delay : {false, true})
      for (const std::size_t channels : {1u, 2u})
        for (const std::size_t count : {0u, 1u, 400u}) {
          const Shape shape{.one_weight = one_weight, .one_delay = one_delay};
          const SumGrid grid(64);
          const std::vector<Synapse> synapses = draw(shape, count);
          for (const int least_bits : {16, 32}) {
            const SynapseTable table = table_of(shape, synapses, grid, least_bits);
            EXPECT_EQ(table.size(), count);
            EXPECT_EQ(passed(table, shape, spikes_of(shape), channels, 0),
                      expected(shape, synapses, grid, channels, 0));
          }
        }
}

TEST(SynapseTable, LeavesOutWhatArrivesBeforeTheFirstStep) {
  const Shape shape{.longest = 15};
  const SumGrid grid(4);
  const std::vector<Synapse> synapses = draw(shape, 300);
  const SynapseTable table = table_of(shape, synapses, grid);
  for (const std::int64_t first_step : {0, 50, 52, 58, 66, 80})
    EXPECT_EQ(passed(table, shape, spikes_of(shape), 2, first_step),
              expected(shape, synapses, grid, 2, first_step));
}

TEST(SynapseTable, GivesTheSameSumsInWhateverOrderSpikesAndConnectionsCome) {
  const Shape shape;
  const SumGrid grid(4);
  std::vector<Synapse> synapses = draw(shape, 500);
  std::vector<CellSpike> spikes = spikes_of(shape);
  const Sums sums = passed(table_of(shape, synapses, grid), shape, spikes, 1, 0);
  std::ranges::reverse(synapses);
  std::ranges::reverse(spikes);
  std::rotate(spikes.begin(), spikes.begin() + 17, spikes.end());
  EXPECT_EQ(passed(table_of(shape, synapses, grid), shape, spikes, 1, 0), sums);
}

TEST(SynapseTable, OfSeveralPartsIsThatOfThemTogether) {
  for (const bool one_weight : {false, true})
    for (const bool one_delay : {false, true}) {
      const Shape shape{.one_weight = one_weight, .one_delay = one_delay};
      const SumGrid grid(4);
      const std::vector<Synapse> synapses = draw(shape, 500);
      std::vector<Synapse> onto[3];
      constexpr std::uint32_t borders[] = {0, 3, 4, 7};
      for (const Synapse& s : synapses) onto[s.target < 3 ? 0 : s.target < 4 ? 1 : 2].push_back(s);
      std::vector<FanInTable> tables;
      for (std::size_t k = 0; k < 3; ++k) tables.push_back(fan_in(shape, onto[k], borders[k]));
      std::vector<SynapsePart> parts;
      for (std::size_t k = 0; k < 3; ++k) parts.push_back({&tables[k], borders[k]});
      const SynapseTable joined(parts, shape.neurons, {dt_ms}, grid, shape.largest, 16, one_by_one);
      EXPECT_EQ(joined.size(), synapses.size());
      EXPECT_EQ(joined.first_of_sources().size(), shape.sources + 1);
      EXPECT_EQ(passed(joined, shape, spikes_of(shape), 2, 0),
                expected(shape, synapses, grid, 2, 0));
      EXPECT_EQ(passed(joined, shape, spikes_of(shape), 2, 70),
                expected(shape, synapses, grid, 2, 70));
    }
}

/// Bytes of a synapse, all of which come to the first neurons.
std::size_t bytes_of_a_word(std::uint64_t neurons, std::int64_t longest, int least_bits = 16) {
  FanInDraft draft;
  draft.add(0, {static_cast<std::uint32_t>(neurons - 1), FanIn::no_slot, 1,
                static_cast<double>(longest) * dt_ms});
  draft.add(1, {0, FanIn::no_slot, 1, 0.2});
  const FanInTable all{0, first_source, 2, draft.sorted(2), 0};
  const SynapsePart part{&all, 0};
  const SynapseTable table({&part, 1}, neurons, {dt_ms}, SumGrid(1), 1, least_bits, one_by_one);
  std::size_t bytes = 0;
  table.with_view([&](const auto& view) {
    bytes = sizeof(*view.words);
    EXPECT_EQ(view.words[0] & view.target_mask, neurons - 1);
    EXPECT_EQ(view.delay(0), longest);
    EXPECT_EQ(view.words[1] & view.target_mask, 0u);
    EXPECT_EQ(view.delay(1), 2);
  });
  return bytes;
}

TEST(SynapseTable, PacksTargetAndDelayInto2Or4BytesWhereTheyFitAndElseInto8) {
  EXPECT_EQ(bytes_of_a_word(2, 2), 2u);
  EXPECT_EQ(bytes_of_a_word(1, 300), 2u);
  EXPECT_EQ(bytes_of_a_word(1, 300, 32), 4u);
  EXPECT_EQ(bytes_of_a_word(1u << 16, 2), 2u);
  EXPECT_EQ(bytes_of_a_word((1u << 16) + 1, 2), 4u);
  EXPECT_EQ(bytes_of_a_word(1u << 12, (1 << 4) + 1), 2u);
  EXPECT_EQ(bytes_of_a_word(1u << 12, (1 << 4) + 2), 4u);
  EXPECT_EQ(bytes_of_a_word(1u << 20, (1 << 12) + 1), 4u);
  EXPECT_EQ(bytes_of_a_word(1u << 20, (1 << 12) + 2), 8u);
  EXPECT_EQ(bytes_of_a_word((1u << 20) + 1, (1 << 12) + 1), 8u);
  EXPECT_EQ(bytes_of_a_word(1u << 31, 3), 4u);
  EXPECT_EQ(bytes_of_a_word(1u << 31, 4), 8u);
}

TEST(SynapseTable, RoundsDelaysToTheNearestStepAndAtLeastOne) {
  EXPECT_EQ(delay_steps(0.1, {0.1}), 1);
  EXPECT_EQ(delay_steps(0.3, {0.1}), 3);  // 0.3 / 0.1 is a bit below 3
  EXPECT_EQ(delay_steps(0.14, {0.1}), 1);
  EXPECT_EQ(delay_steps(0.16, {0.1}), 2);
  EXPECT_EQ(delay_steps(1.5, {1}), 2);
  EXPECT_EQ(delay_steps(0.01, {0.1}), 1);
}

TEST(SynapseTable, RoundsArrivalsToTheNearestStepOfTheTargetsThatBeginsAfterTheSpike) {
  constexpr std::int64_t run_steps = 4;
  const auto arrival = [](std::int64_t spike, double delay) {
    return (spike + delay_steps(delay * dt_ms, {run_steps * dt_ms, run_steps})) / run_steps;
  };
  EXPECT_EQ(arrival(8, 1), 3);  // not with the spike
  EXPECT_EQ(arrival(9, 1), 3);  // 10 is in the middle between 8 and 12
  EXPECT_EQ(arrival(9, 0.9), 3);
  EXPECT_EQ(arrival(8, 5), 3);
  EXPECT_EQ(arrival(8, 5.9), 3);
  EXPECT_EQ(arrival(8, 6), 4);
  EXPECT_EQ(arrival(11, 2.9), 3);
  EXPECT_EQ(arrival(11, 3), 4);
  EXPECT_EQ(arrival(10, 10), 5);
  EXPECT_EQ(arrival(10, 3.99), 3);
}

}  // namespace
}  // namespace hillock::network
